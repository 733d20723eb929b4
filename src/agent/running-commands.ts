import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { createMasker, type Masker } from '#domain/build/mask-secrets.ts';

/** The command of a step while it runs, for shells beside it. */
export interface RunningCommand {
  shim: ShimConnection;
  /** Its id in the shim. */
  beside: number;
  env: Record<string, string>;
  cwd: string;
  /** Adds a line to the log of the step. */
  note: (line: string) => void;
}

/** The commands of steps that run, and what their output must not show. */
export class RunningCommands {
  /** The secrets of the build. */
  readonly masker: Masker = createMasker([]);
  readonly #byStep = new Map<string, RunningCommand>();

  enter(step: string, command: RunningCommand): void {
    this.#byStep.set(step, command);
  }

  leave(step: string): void {
    this.#byStep.delete(step);
  }

  of(step: string): RunningCommand | undefined {
    return this.#byStep.get(step);
  }
}

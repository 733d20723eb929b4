import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { createMasker, type Masker } from '#domain/build/mask-secrets.ts';

/** What a shell needs to know of the running command beside which it opens. */
export interface RunningCommand {
  shim: ShimConnection;
  /** The id of the command in the shim. */
  beside: number;
  env: Record<string, string>;
  cwd: string;
  /** Adds a line to the log of the step. */
  note: (line: string) => void;
}

/** The commands of the steps that run, and the secrets that their output must not show. */
export class RunningCommands {
  /** Masks the secrets of the build. */
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

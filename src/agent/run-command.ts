import { constants } from 'node:os';
import type { ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { PlanCommand } from '#domain/planning/plan.ts';

export const KILL_AFTER_MS = 10_000;
/** A process that even SIGKILL does not end (it hangs in the kernel) must not hang the build. */
const LOST_AFTER_MS = 30_000;

export type CommandEnd = (ShimExit & { output: string }) | { lost: string };

export interface CommandRun {
  shims: Map<string, ShimConnection>;
  command: PlanCommand;
  env: Record<string, string>;
  /** Absent: a fresh directory. */
  cwd?: string;
  /** Tasks only. */
  wantsOutput?: boolean;
  onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void;
  /** Asks for SIGTERM, and SIGKILL later. */
  stop: AbortSignal;
  /** How much later; 10 s when absent. */
  killAfterMs?: number;
}

/** Runs one command in its container. `lost`: its end cannot be known. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const shim = run.shims.get(run.command.container);
  if (!shim) return { lost: `the Pod has no container ${run.command.container}` };
  const running = shim.run(
    {
      argv: run.command.argv,
      env: run.env,
      ...defined({ cwd: run.cwd, script: run.command.script }),
      wantsOutput: run.wantsOutput === true,
      ...defined({ makeExecutable: run.command.makeExecutable }),
    },
    { onOutput: run.onOutput },
  );
  const timers: NodeJS.Timeout[] = [];
  const { killAfterMs = KILL_AFTER_MS } = run;
  const lost = new Promise<CommandEnd>((resolve) => {
    const stop = (): void => {
      running.signal('SIGTERM');
      timers.push(setTimeout(() => running.signal('SIGKILL'), killAfterMs));
      timers.push(
        setTimeout(() => resolve({ lost: 'a process could not be ended' }), killAfterMs + LOST_AFTER_MS),
      );
    };
    if (run.stop.aborted) stop();
    else run.stop.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([running.ended, lost]);
  } catch (error) {
    return { lost: error instanceof Error ? error.message : String(error) };
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export function signalName(number: number): string {
  return SIGNAL_NAMES.get(number) ?? `signal ${number}`;
}

/** In a sentence, why a command that ended is no success; undefined when it is one. */
export function whyFailed(end: ShimExit): string | undefined {
  const { kind } = end.end;
  if (kind === 'not-started') return end.message;
  if (end.leftovers) return 'processes that it started could not be ended';
  const failed = kind === 'signal' ? `ended by ${signalName(end.end.signal)}` : exitSentence(end.end.code);
  // An exit code of 0 proves little when the kernel killed a part of the step: a shell tells only of the last
  // in a pipeline.
  if (failed === undefined && end.outOfMemory) return 'out of memory: one of its processes was killed';
  if (failed === undefined) return end.terminated ? 'its container was asked to end meanwhile' : undefined;
  return end.outOfMemory ? `out of memory: ${failed}` : failed;
}

function exitSentence(code: number): string | undefined {
  return code === 0 ? undefined : `exit code ${code}`;
}

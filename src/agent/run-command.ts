import { constants } from 'node:os';
import type { ShimExit } from '#adapters/process/shim-commands.ts';
import type { Running, ShimConnection } from '#adapters/process/shim-connection.ts';
import { defined } from '#defined';
import type { PlanCommand } from '#domain/planning/plan.ts';

/** The time from SIGTERM to SIGKILL. */
export const KILL_AFTER_MS = 10_000;
/** A process that still exists this long after SIGKILL hangs in the kernel. It counts as lost. */
const LOST_AFTER_MS = 30_000;

export type CommandEnd = (ShimExit & { output: string }) | { lost: string };

export interface CommandRun {
  shims: Map<string, ShimConnection>;
  command: PlanCommand;
  env: Record<string, string>;
  /** Absent: a new directory. */
  cwd?: string;
  /** Whether to return the text of the file `$SVC_OUTPUT`. Only for tasks. */
  wantsOutput?: boolean;
  /** Paths relative to `cwd`: inputs must exist before the command starts, outputs after it succeeded. */
  inputs?: string[];
  outputs?: string[];
  /**
   * Which processes the shim ends after the command. Absent: all processes of the container, or those of the
   * command if other commands run in the container. `own`: those of the command. `stay`: none. The processes
   * of a command are its process group.
   */
  leftovers?: 'own' | 'stay';
  /** The standard input of the command. Absent: empty. */
  input?: string;
  /** True: the shim first removes files that earlier commands left in directories for temporary files. */
  fresh?: boolean;
  /** A directory that the shim empties first. */
  folder?: string;
  onStarted?: () => void;
  /** Called when the agent has sent the command to the shim of its container. */
  onRunning?: (shim: ShimConnection, running: Running) => void;
  onOutput: (stream: 'stdout' | 'stderr', bytes: Buffer) => void;
  /** Sends SIGTERM, and SIGKILL after `killAfterMs`. */
  stop: AbortSignal;
  /** Absent: `KILL_AFTER_MS`. */
  killAfterMs?: number;
}

/** Runs one command in its container. An end with `lost` means that nobody knows how the command ended. */
export async function runCommand(run: CommandRun): Promise<CommandEnd> {
  const shim = run.shims.get(run.command.container);
  if (!shim) return { lost: `the Pod has no container ${run.command.container}` };
  const running = shim.run(
    {
      argv: withEnvironment(run.command, run.env),
      env: run.env,
      ...defined({ cwd: run.cwd, script: run.command.script }),
      wantsOutput: run.wantsOutput === true,
      ...defined({
        makeExecutable: run.command.makeExecutable,
        inputs: run.inputs,
        outputs: run.outputs,
        leftovers: run.leftovers,
        input: run.input,
        fresh: run.fresh,
        folder: run.folder,
      }),
    },
    { onOutput: run.onOutput, ...defined({ onStarted: run.onStarted }) },
  );
  run.onRunning?.(shim, running);
  const timers: NodeJS.Timeout[] = [];
  const over = new AbortController();
  const { killAfterMs = KILL_AFTER_MS } = run;
  const lost = new Promise<CommandEnd>((resolve) => {
    const stop = (): void => {
      running.signal('SIGTERM');
      timers.push(setTimeout(() => running.signal('SIGKILL'), killAfterMs));
      timers.push(
        setTimeout(() => resolve({ lost: 'a process could not be killed' }), killAfterMs + LOST_AFTER_MS),
      );
    };
    if (run.stop.aborted) stop();
    else run.stop.addEventListener('abort', stop, { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([running.ended, lost]);
  } catch (error) {
    return { lost: Error.isError(error) ? error.message : String(error) };
  } finally {
    over.abort();
    for (const timer of timers) clearTimeout(timer);
  }
}

/**
 * Inserts `-e NAME=VALUE` for each variable except `args`, sorted by name, at each position where the runner
 * has `$env`.
 */
function withEnvironment({ argv, environmentAt = [] }: PlanCommand, env: Record<string, string>): string[] {
  const pairs = Object.entries(env)
    .filter(([name]) => name !== 'args')
    .toSorted(([a], [b]) => Number(a > b) - Number(a < b))
    .flatMap(([name, value]) => ['-e', `${name}=${value}`]);
  let words = argv;
  // Begins with the last position, so that no insertion moves a position that is still to come.
  for (const place of environmentAt.toReversed()) words = words.toSpliced(place, 0, ...pairs);
  return words;
}

const SIGNAL_NAMES = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

export function signalName(number: number): string {
  return SIGNAL_NAMES.get(number) ?? `signal ${number}`;
}

/** Why an ended command failed. Undefined: it succeeded. */
export function whyFailed(end: ShimExit): string | undefined {
  const { kind } = end.end;
  if (kind === 'not-started') return end.message;
  if (end.leftovers) return 'processes that it started could not be killed';
  const failure = kind === 'signal' ? `ended by ${signalName(end.end.signal)}` : exitFailure(end.end.code);
  if (failure !== undefined) return end.outOfMemory ? `out of memory: ${failure}` : failure;
  // An exit code of 0 proves little if the kernel killed a process of the step: a shell reports only the exit
  // code of the last command of a pipeline.
  if (end.outOfMemory) return 'out of memory: one of its processes was killed';
  return end.terminated ? 'its container was terminated while the command ran' : undefined;
}

function exitFailure(code: number): string | undefined {
  return code === 0 ? undefined : `exit code ${code}`;
}

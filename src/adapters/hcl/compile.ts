import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import { findEngine } from './locate.ts';
import { startProcess, type CompilerProcess } from './process.ts';
import type { WorkerRequest } from './worker-messages.ts';

export interface CompilerOptions {
  /** How long a process may work on one text. */
  timeLimitMs?: number;
  memoryLimitMb?: number;
  /** How many texts are compiled side by side: one that takes its whole time does not hold up the others. */
  processes?: number;
  /**
   * After so long without a request a process ends and gives back its memory; the next request starts another
   * one.
   */
  idleMs?: number;
  /** `hcl.wasm`; by default beside the bundled program, or what `build.ts` made of these sources. */
  engine?: string;
  /** What timestamp() answers, once for each text. */
  now?: () => Date;
}

export interface Compiler {
  /**
   * Never rejects for what the text is: time, memory and faults of the engine are diagnostics too. `sources`:
   * texts that an earlier compilation said it needs. `share`: whose text it is; where several wait, they take
   * turns.
   */
  compile(
    source: string | Uint8Array,
    variables: GivenVariables,
    sources?: ResolvedSources,
    share?: string,
  ): Promise<Compilation>;
  /** Ends the processes. What is still waiting is answered with an error. */
  close(): Promise<void>;
}

/** A place for a process, which is started when it is needed. */
interface Seat {
  process?: CompilerProcess;
  idle?: NodeJS.Timeout;
}

/**
 * Compiles in processes, started at the first request, that a hostile text can only take down with itself.
 */
export function createCompiler(options: CompilerOptions = {}): Compiler {
  const timeLimitMs = options.timeLimitMs ?? LIMITS.milliseconds;
  const memoryLimitMb = options.memoryLimitMb ?? 256;
  const idleMs = options.idleMs ?? 30_000;
  const now = options.now ?? (() => new Date());
  const seats: Seat[] = Array.from({ length: options.processes ?? 2 }, () => ({}));
  const queue = createFairPool(seats);
  let closed = false;

  const rest = async (seat: Seat): Promise<void> => {
    clearTimeout(seat.idle);
    const resting = seat.process;
    delete seat.process;
    await resting?.stop();
  };
  const run = async (seat: Seat, request: WorkerRequest): Promise<Compilation> => {
    if (closed) throw new Error('the compiler is closed');
    clearTimeout(seat.idle);
    if (seat.process?.hasEnded()) delete seat.process;
    seat.process ??= startProcess(findEngine(options.engine), memoryLimitMb);
    const compilation = await seat.process.send(request, timeLimitMs);
    seat.idle = setTimeout(() => void rest(seat), idleMs).unref();
    return compilation;
  };

  return {
    async compile(source, variables, sources = {}, share = '') {
      const time = `${now().toISOString().slice(0, 19)}Z`;
      const seat = await queue.acquire(share);
      try {
        return await run(seat, { source, variables, sources, time });
      } finally {
        queue.release(seat);
      }
    },
    async close() {
      closed = true;
      await Promise.all(seats.map(rest));
    },
  };
}

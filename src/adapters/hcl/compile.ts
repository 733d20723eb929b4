import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { createFairPool } from '#domain/scheduling/fair-pool.ts';
import { findEngine } from './locate.ts';
import { startProcess, type CompilerProcess } from './process.ts';
import type { CompileRequest } from './worker-messages.ts';

export interface CompilerOptions {
  /** Limit of processor time for one text. */
  timeLimitMs?: number;
  /** Limit of wall time for one text. Default: 15 times `timeLimitMs`. */
  wallLimitMs?: number;
  /** Memory limit of each process, in MiB; 256 by default. */
  memoryLimitMb?: number;
  /**
   * Number of processes; 2 by default. A slow text occupies one of them, and the other texts take turns in
   * the others.
   */
  processes?: number;
  /**
   * After this time without a request, a process ends to release its memory; 30 s by default. The next
   * request starts another process.
   */
  idleMs?: number;
  /** Path of `hcl.wasm`. Default: beside the bundled program, or the output of `build.ts`. */
  engine?: string;
  /** Returns the time for timestamp(). Called once for each text. */
  now?: () => Date;
}

export interface HclCompiler {
  /**
   * Never rejects because of the text: a reached limit or a fault of the engine is a diagnostic. `sources`:
   * the fetched texts that an earlier compilation of this text asked for. `owner`: whose text it is. While
   * texts wait, their owners take turns.
   */
  compile(
    source: string | Uint8Array,
    variables: GivenVariables,
    sources?: ResolvedSources,
    owner?: string,
  ): Promise<Compilation>;
  /** Ends the processes. Calls of `compile` that still wait for a process reject. */
  close(): Promise<void>;
}

const WALL_TIME_FACTOR = 15;

/** A slot for a process, which starts on demand. */
interface ProcessSlot {
  process?: CompilerProcess;
  idleTimer?: NodeJS.Timeout;
}

/** Compiles in child processes, so that a hostile text can only crash its own process. */
export function createCompiler(options: CompilerOptions = {}): HclCompiler {
  const cpuMs = options.timeLimitMs ?? LIMITS.cpuMilliseconds;
  const limits = { cpuMs, wallMs: options.wallLimitMs ?? WALL_TIME_FACTOR * cpuMs };
  const memoryLimitMb = options.memoryLimitMb ?? 256;
  const idleMs = options.idleMs ?? 30_000;
  const now = options.now ?? (() => new Date());
  const slots: ProcessSlot[] = Array.from({ length: options.processes ?? 2 }, () => ({}));
  const queue = createFairPool(slots);
  let closed = false;

  const stopProcess = async (slot: ProcessSlot): Promise<void> => {
    clearTimeout(slot.idleTimer);
    const { process } = slot;
    delete slot.process;
    await process?.stop();
  };
  const run = async (slot: ProcessSlot, request: CompileRequest): Promise<Compilation> => {
    if (closed) throw new Error('the compiler is closed');
    clearTimeout(slot.idleTimer);
    if (slot.process?.hasEnded()) delete slot.process;
    slot.process ??= startProcess(findEngine(options.engine), memoryLimitMb);
    const compilation = await slot.process.send(request, limits);
    slot.idleTimer = setTimeout(() => void stopProcess(slot), idleMs).unref();
    return compilation;
  };

  return {
    async compile(source, variables, sources = {}, owner = '') {
      const time = `${now().toISOString().slice(0, 19)}Z`;
      const slot = await queue.acquire(owner);
      try {
        return await run(slot, { source, variables, sources, time });
      } finally {
        queue.release(slot);
      }
    },
    async close() {
      closed = true;
      await Promise.all(slots.map(stopProcess));
    },
  };
}

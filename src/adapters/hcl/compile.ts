import { Worker } from 'node:worker_threads';
import { diagnose } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';
import type { Compilation } from '#domain/pipeline/compile.ts';
import { LIMITS } from '#domain/pipeline/limits.ts';
import type { GivenVariables } from '#domain/pipeline/variables.ts';
import { findEngine } from './locate.ts';
import type { WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

export interface CompilerOptions {
  /** How long one text may take, from the moment the thread is free for it. */
  timeLimitMs?: number;
  memoryLimitMb?: number;
  /** After so long without a request the thread ends and gives back its memory; the next request starts another one. */
  idleMs?: number;
  /** `hcl.wasm`; by default beside the bundled program, or what `build.ts` made of these sources. */
  engine?: string;
}

export interface Compiler {
  /** Never rejects for what the text is: time, memory and faults of the engine are diagnostics too. One after another. */
  compile(source: string | Uint8Array, variables: GivenVariables): Promise<Compilation>;
  /** Ends the thread. What is still waiting is answered with an error. */
  close(): Promise<void>;
}

/** The bundle has the thread's program beside it; sources run as they are. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './hcl-worker.js',
  import.meta.url,
);

/** Compiles in a thread of its own, started at the first request, that a hostile text can only take down with itself. */
export function createCompiler(options: CompilerOptions = {}): Compiler {
  const timeLimitMs = options.timeLimitMs ?? LIMITS.milliseconds;
  const memoryLimitMb = options.memoryLimitMb ?? 256;
  let thread: CompilerThread | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;
  let closed = false;

  const run = async (request: WorkerRequest): Promise<Compilation> => {
    if (closed) throw new Error('the compiler is closed');
    clearTimeout(idle);
    thread ??= startThread({ engine: findEngine(options.engine), memoryLimitMb });
    const used = thread;
    const answer = await used.send(request, timeLimitMs);
    idle = setTimeout(() => void rest(), options.idleMs ?? 30_000);
    idle.unref();
    if ('compilation' in answer) return answer.compilation;
    if (thread === used) thread = undefined;
    return { diagnostics: [answer.failure] };
  };

  const rest = async (): Promise<void> => {
    clearTimeout(idle);
    const resting = thread;
    thread = undefined;
    await resting?.stop();
  };

  return {
    compile(source, variables) {
      const result = last.then(() => run({ source, variables }));
      last = result.catch(() => undefined);
      return result;
    },
    async close() {
      closed = true;
      await rest();
    },
  };
}

type ThreadAnswer = { compilation: Compilation } | { failure: Diagnostic };

interface CompilerThread {
  send(request: WorkerRequest, timeLimitMs: number): Promise<ThreadAnswer>;
  stop(): Promise<void>;
}

function startThread(data: WorkerData): CompilerThread {
  const worker = new Worker(workerUrl, {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: data.memoryLimitMb, stackSizeMb: 16 },
  });
  worker.unref();
  let settle: ((answer: ThreadAnswer | 'ready') => void) | undefined;
  const fail = (failure: Diagnostic): void => settle?.({ failure });
  const next = (): Promise<ThreadAnswer | 'ready'> =>
    new Promise((resolve) => {
      settle = resolve;
    });
  worker.on('message', (answer: WorkerAnswer) => settle?.(answer.kind === 'ready' ? 'ready' : answer));
  worker.on('error', (error: NodeJS.ErrnoException) => fail(explainFault(error)));
  worker.on('exit', () => fail(diagnose('engine-fault', undefined, 'the thread that reads pipelines ended')));
  const started = next();

  return {
    async send(request, timeLimitMs) {
      worker.ref();
      const start = await started;
      if (start !== 'ready') return start;
      const answer = next();
      const timer = setTimeout(() => {
        fail(diagnose('time-limit', undefined, `reading the pipeline took longer than ${timeLimitMs} ms`));
      }, timeLimitMs);
      worker.postMessage(request, []);
      const outcome = await answer;
      clearTimeout(timer);
      worker.unref();
      if (outcome !== 'ready' && 'compilation' in outcome) return outcome;
      await worker.terminate();
      return outcome === 'ready'
        ? { failure: diagnose('engine-fault', undefined, 'the thread restarted') }
        : outcome;
    },
    async stop() {
      fail(diagnose('engine-fault', undefined, 'the compiler was closed'));
      await worker.terminate();
    },
  };
}

function explainFault(error: NodeJS.ErrnoException): Diagnostic {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' || /out of memory/.test(error.message)) {
    return diagnose('memory-limit', undefined, 'reading the pipeline took more memory than is allowed');
  }
  const [line = 'unknown'] = error.message.split('\n');
  return diagnose('engine-fault', undefined, `the HCL engine failed: ${line.slice(0, 200)}`);
}

import { Worker } from 'node:worker_threads';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Range } from '#domain/language/syntax.ts';
import { openWorkPlace, shareWorkPlace } from './evaluated-range.ts';
import type { HostAnswer, WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

/** A thread that compiles one text after another. After a failure it has ended. */
export interface CompilerThread {
  send(request: WorkerRequest, timeLimitMs: number): Promise<HostAnswer>;
}

/** The bundle has the thread's program beside it; sources run as they are. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './hcl-worker.js',
  import.meta.url,
);

export function startThread(module: WorkerData['module'], memoryLimitMb: number): CompilerThread {
  const workerData: WorkerData = { module, place: shareWorkPlace() };
  const workPlace = openWorkPlace(workerData.place);
  const resourceLimits = { maxOldGenerationSizeMb: memoryLimitMb, stackSizeMb: 16 };
  const worker = new Worker(workerUrl, { workerData, resourceLimits });
  let settle: ((answer: HostAnswer | { kind: 'ready' }) => void) | undefined;
  const fail = (failure: Diagnostic): void => settle?.({ kind: 'failed', failure });
  const next = (): Promise<HostAnswer | { kind: 'ready' }> =>
    new Promise((resolve) => {
      settle = resolve;
    });
  worker.on('message', (answer: WorkerAnswer | { kind: 'ready' }) => settle?.(answer));
  worker.on('error', (error: NodeJS.ErrnoException) => fail(explainFault(error, workPlace.read())));
  worker.on('exit', () => fail(diagnose('engine-fault', undefined, 'the thread that reads pipelines ended')));
  const started = next();

  return {
    async send(request, timeLimitMs) {
      const start = await started;
      if (start.kind !== 'ready') return start;
      const answer = next();
      workPlace.note(undefined);
      const watch = await watchTime(worker, timeLimitMs, () => fail(tooLong(timeLimitMs, workPlace.read())));
      worker.postMessage(request, []);
      const outcome = await answer;
      watch.end();
      if (outcome.kind === 'ready') throw new Error('the thread that reads pipelines started twice');
      if (outcome.kind === 'failed') await worker.terminate();
      return outcome;
    },
  };
}

/** `place`: of the expression that was evaluated then. */
export function tooLong(timeLimitMs: number, place?: Range): Diagnostic {
  const where = place ? ': it was at this expression' : '';
  return diagnose('time-limit', place, `reading the pipeline took longer than ${timeLimitMs} ms${where}`);
}

/**
 * How much longer the clock on the wall may take than the thread: on a busy machine it waits most of the
 * time.
 */
export const PATIENCE = 15;

/** Calls once the thread has worked for so long, by its own time. */
async function watchTime(worker: Worker, limitMs: number, call: () => void): Promise<{ end: () => void }> {
  const worked = async (): Promise<number> => {
    try {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1000;
    } catch {
      // The thread is gone, which is an answer too: there is nothing left to watch.
      return 0;
    }
  };
  const before = await worked();
  let ended = false;
  const look = async (): Promise<void> => {
    const spent = (await worked()) - before;
    if (ended) return;
    if (spent >= limitMs) call();
    else timer = setTimeout(() => void look(), Math.max(limitMs - spent, 10));
  };
  let timer = setTimeout(() => void look(), limitMs);
  const last = setTimeout(call, PATIENCE * limitMs);
  return {
    end() {
      ended = true;
      clearTimeout(timer);
      clearTimeout(last);
    },
  };
}

function explainFault(error: NodeJS.ErrnoException, place: Range | undefined): Diagnostic {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' || /out of memory/.test(error.message)) {
    const where = place ? ': it was at this expression' : '';
    return diagnose('memory-limit', place, `reading the pipeline took more memory than is allowed${where}`);
  }
  const [line = 'unknown'] = error.message.split('\n');
  return diagnose('engine-fault', undefined, `the HCL engine failed: ${line.slice(0, 200)}`);
}

import { Worker } from 'node:worker_threads';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { Range } from '#domain/language/syntax.ts';
import { allocateEvaluatedRange, openEvaluatedRange } from './evaluated-range.ts';
import type {
  CompileAnswer,
  CompileRequest,
  EvaluationLimits,
  HostAnswer,
  WorkerData,
} from './worker-messages.ts';

/** A thread that compiles one text at a time. After an answer of the kind `failed` it has ended. */
export interface CompilerThread {
  send(request: CompileRequest, limits: EvaluationLimits): Promise<HostAnswer>;
}

/** The program of the thread. It is beside the bundle, or beside this source file. */
const workerUrl = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './hcl-worker.js',
  import.meta.url,
);

export function startThread(module: WorkerData['module'], memoryLimitMb: number): CompilerThread {
  const workerData: WorkerData = { module, rangeMemory: allocateEvaluatedRange() };
  const evaluatedRange = openEvaluatedRange(workerData.rangeMemory);
  const resourceLimits = { maxOldGenerationSizeMb: memoryLimitMb, stackSizeMb: 16 };
  const worker = new Worker(workerUrl, { workerData, resourceLimits });
  let settle: ((answer: HostAnswer | { kind: 'ready' }) => void) | undefined;
  const fail = (failure: Diagnostic): void => settle?.({ kind: 'failed', failure });
  const nextMessage = (): Promise<HostAnswer | { kind: 'ready' }> =>
    new Promise((resolve) => {
      settle = resolve;
    });
  worker.on('message', (answer: CompileAnswer | { kind: 'ready' }) => settle?.(answer));
  worker.on('error', (error: NodeJS.ErrnoException) => fail(explainFault(error, evaluatedRange.read())));
  worker.on('exit', () => fail(diagnose('engine-fault', undefined, 'the thread that reads pipelines ended')));
  const firstMessage = nextMessage();

  return {
    async send(request, limits) {
      const first = await firstMessage;
      if (first.kind !== 'ready') return first;
      const answer = nextMessage();
      evaluatedRange.note(undefined);
      const watch = await watchTime(worker, limits, {
        onCpuLimit: () => fail(timeLimitDiagnostic(limits.cpuMs, evaluatedRange.read())),
        onWallLimit: () => fail(busyDiagnostic(limits)),
      });
      worker.postMessage(request, []);
      const outcome = await answer;
      watch.end();
      if (outcome.kind === 'ready') throw new Error('the thread that reads pipelines started twice');
      if (outcome.kind === 'failed') await worker.terminate();
      return outcome;
    },
  };
}

/** `range`: the expression that was being evaluated; undefined if none was. */
function timeLimitDiagnostic(timeLimitMs: number, range?: Range): Diagnostic {
  const positionText = range ? ': it was at this expression' : '';
  return diagnose(
    'time-limit',
    range,
    `reading the pipeline took longer than ${timeLimitMs} ms${positionText}`,
  );
}

/**
 * The diagnostic if a thread reaches the limit of wall time but not of processor time. It does not mean that
 * the text is wrong.
 */
export function busyDiagnostic({ wallMs }: EvaluationLimits): Diagnostic {
  return diagnose(
    'machine-busy',
    undefined,
    `reading the pipeline did not end within ${wallMs / 1000} s, most of which it waited for a processor`,
  );
}

/**
 * Calls `onCpuLimit` when the thread has used `cpuMs` of processor time, and `onWallLimit` when `wallMs` have
 * passed.
 */
async function watchTime(
  worker: Worker,
  { cpuMs, wallMs }: EvaluationLimits,
  { onCpuLimit, onWallLimit }: { onCpuLimit: () => void; onWallLimit: () => void },
): Promise<{ end: () => void }> {
  const usedMs = async (): Promise<number> => {
    try {
      const { user, system } = await worker.cpuUsage();
      return (user + system) / 1000;
    } catch {
      // The thread has ended: there is nothing to watch.
      return 0;
    }
  };
  const before = await usedMs();
  let ended = false;
  const checkTime = async (): Promise<void> => {
    const spentMs = (await usedMs()) - before;
    if (ended) return;
    if (spentMs >= cpuMs) onCpuLimit();
    else timer = setTimeout(() => void checkTime(), Math.max(cpuMs - spentMs, 10));
  };
  let timer = setTimeout(() => void checkTime(), cpuMs);
  const wallTimer = setTimeout(onWallLimit, wallMs);
  return {
    end() {
      ended = true;
      clearTimeout(timer);
      clearTimeout(wallTimer);
    },
  };
}

function explainFault(error: NodeJS.ErrnoException, range: Range | undefined): Diagnostic {
  if (error.code === 'ERR_WORKER_OUT_OF_MEMORY' || /out of memory/.test(error.message)) {
    const positionText = range ? ': it was at this expression' : '';
    return diagnose(
      'memory-limit',
      range,
      `reading the pipeline took more memory than is allowed${positionText}`,
    );
  }
  const [line = 'unknown'] = error.message.split('\n');
  return diagnose('engine-fault', undefined, `the HCL engine failed: ${line.slice(0, 200)}`);
}

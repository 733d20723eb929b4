import { Worker } from 'node:worker_threads';
import { findFont, workerUrl } from './locate.ts';
import type { WorkerAnswer, WorkerData, WorkerRequest } from './worker-messages.ts';

/** Why there is no picture: a stable word, and a sentence for people. */
export interface Refusal {
  reason: 'too-large' | 'time-limit' | 'fault';
  message: string;
}

export interface Thread {
  /** One request at a time. After a refusal the thread is gone. */
  send(request: WorkerRequest, timeLimitMs: number): Promise<WorkerAnswer | { refused: Refusal }>;
  stop(): Promise<void>;
}

/** Of the thread's own heap; Graphviz and pixels are beside it. A small young generation keeps garbage from piling up. */
const MEMORY = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 8 };

export function startThread(): Thread {
  const data: WorkerData = { font: findFont() };
  const worker = new Worker(workerUrl, {
    workerData: data,
    resourceLimits: MEMORY,
  });
  worker.unref();
  let settle: ((answer: WorkerAnswer | { refused: Refusal }) => void) | undefined;
  let fault: Refusal | undefined;
  const refuse = (reason: Refusal['reason'], message: string): void => {
    fault ??= { reason, message };
    settle?.({ refused: fault });
  };
  worker.on('message', (answer: WorkerAnswer) => settle?.(answer));
  worker.on('error', (error) => refuse('fault', `drawing failed: ${firstLine(error.message)}`));
  worker.on('exit', () => refuse('fault', 'the thread that draws pictures ended'));
  return {
    async send(request, timeLimitMs) {
      if (fault) return { refused: fault };
      worker.ref();
      const answer = new Promise<WorkerAnswer | { refused: Refusal }>((resolve) => {
        settle = resolve;
      });
      const timer = setTimeout(() => {
        refuse(
          'time-limit',
          `drawing took longer than ${timeLimitMs / 1000} s; hide intermediate resources or group parallel jobs`,
        );
      }, timeLimitMs);
      worker.postMessage(request, []);
      const outcome = await answer;
      clearTimeout(timer);
      worker.unref();
      // Not awaited: pixels that are being made cannot be stopped, and nobody waits for them any more.
      if ('refused' in outcome) void worker.terminate();
      return outcome;
    },
    async stop() {
      refuse('fault', 'the drawing was ended');
      await worker.terminate();
    },
  };
}

const firstLine = (text: string): string => (text.trim().split('\n')[0] ?? '').slice(0, 200);

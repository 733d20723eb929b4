import { EpochOver } from '#adapters/database/fence.ts';
import type { Ending } from '#adapters/kubernetes/watch/queue.ts';
import { WorkQueue } from '#adapters/kubernetes/watch/queue.ts';
import type { Leadership } from './lead.ts';

const CONCURRENCY = 4;
/** After an outage everything goes on within moments. */
const LONGEST_WAIT_MS = 10_000;

/** A queue whose errors are logged; a write that was refused because another leads ends the lead. */
export function workQueue(
  leadership: Pick<Leadership, 'log' | 'lost' | 'metrics'>,
  what: string,
  work: (key: string) => Promise<Ending>,
): WorkQueue {
  const queue = new WorkQueue({
    work,
    concurrency: CONCURRENCY,
    longestMs: LONGEST_WAIT_MS,
    onError: (key, error, retryInMs) => {
      if (error instanceof EpochOver) leadership.lost.abort();
      leadership.metrics.workFailed(what);
      leadership.log.warn({ err: error, what, key, retryInMs: Math.round(retryInMs) }, 'will be tried again');
    },
  });
  leadership.metrics.queue(what, queue);
  return queue;
}

/** Failures of single items, which did not hold up the others. */
export function reportFailures(
  { log, lost }: Pick<Leadership, 'log' | 'lost'>,
  what: string,
  failures: { error: unknown }[],
): void {
  for (const { error } of failures) {
    if (error instanceof EpochOver) lost.abort();
    log.warn({ err: error }, what);
  }
}

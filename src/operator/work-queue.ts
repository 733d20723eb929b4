import { EpochOver } from '#adapters/database/connection/fence.ts';
import { WorkQueue, type ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import { defined } from '#defined';
import type { Leadership } from './lead.ts';

const CONCURRENCY = 4;
/** After an outage everything goes on within moments. */
const LONGEST_WAIT_MS = 10_000;
const QUIET_MS = 60_000;
const MOST_KEYS = 1000;

/** Of keys that begin with a namespace: teams take turns. */
export function namespaceOf(key: string): string {
  return key.split('/')[0] ?? '';
}

/** A queue whose errors are logged; a write that was refused because another leads ends the lead. */
export function workQueue(
  leadership: Pick<Leadership, 'log' | 'lost' | 'metrics'>,
  what: string,
  work: (key: string) => Promise<ReconcileResult>,
  shareOf?: (key: string) => string,
): WorkQueue {
  const level = quietly();
  const queue = new WorkQueue({
    work,
    concurrency: CONCURRENCY,
    longestMs: LONGEST_WAIT_MS,
    ...defined({ shareOf }),
    onError: (key, error, retryInMs) => {
      if (error instanceof EpochOver) leadership.lost.abort();
      leadership.metrics.workFailed(what);
      leadership.log[level(key)](
        { err: error, what, item: key, retryInMs: Math.round(retryInMs) },
        'will be tried again',
      );
    },
  });
  leadership.metrics.queue(what, queue);
  return queue;
}

/** One trouble is told once: what follows it closely is for those who look for it. */
function quietly(): (key: string) => 'warn' | 'debug' {
  const toldAt = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if (now - (toldAt.get(key) ?? -Infinity) < QUIET_MS) return 'debug';
    if (toldAt.size >= MOST_KEYS) toldAt.clear();
    toldAt.set(key, now);
    return 'warn';
  };
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

import { EpochOver } from '#adapters/database/connection/fence.ts';
import { WorkQueue, type ReconcileResult } from '#adapters/kubernetes/watch/queue.ts';
import { defined } from '#defined';
import type { Leadership } from './lead.ts';

const CONCURRENCY = 4;
/** Longest pause before failed work runs again. Short, so that work resumes soon after an outage. */
const MAX_WAIT_MS = 10_000;
/** Within this time after a warning about a key, other errors of the key are logged as debug. */
const QUIET_MS = 60_000;
const MAX_KEYS = 1000;
/** How soon work runs again if a part of it failed. */
export const AFTER_FAILURE_MS = 1000;

/** The namespace in a key `<namespace>/<name>`. Queues use it to let teams take turns. */
export function namespaceOf(key: string): string {
  return key.split('/')[0] ?? '';
}

/**
 * A queue that logs errors, and that ends the lead if the database refuses a write because another replica
 * leads. `shareOf`: as in `QueueOptions`.
 */
export function workQueue(
  leadership: Pick<Leadership, 'log' | 'lost' | 'metrics'>,
  name: string,
  work: (key: string) => Promise<ReconcileResult>,
  shareOf?: (key: string) => string,
): WorkQueue {
  const level = levelByKey();
  const queue = new WorkQueue({
    work,
    concurrency: CONCURRENCY,
    longestMs: MAX_WAIT_MS,
    ...defined({ shareOf }),
    onError: (key, error, retryInMs) => {
      if (error instanceof EpochOver) leadership.lost.abort();
      leadership.metrics.workFailed(name);
      leadership.log[level(key)](
        { err: error, what: name, item: key, retryInMs: Math.round(retryInMs) },
        'work failed and will be tried again',
      );
    },
  });
  leadership.metrics.queue(name, queue);
  return queue;
}

/** Level of an error: `warn` for the first of a key in a minute, `debug` for the others. */
function levelByKey(): (key: string) => 'warn' | 'debug' {
  const warnedAt = new Map<string, number>();
  return (key) => {
    const now = performance.now();
    if (now - (warnedAt.get(key) ?? -Infinity) < QUIET_MS) return 'debug';
    if (warnedAt.size >= MAX_KEYS) warnedAt.clear();
    warnedAt.set(key, now);
    return 'warn';
  };
}

/** Logs failures of single items of work. Ends the lead as `workQueue` does. */
export function reportFailures(
  { log, lost }: Pick<Leadership, 'log' | 'lost'>,
  message: string,
  failures: { error: unknown }[],
): void {
  for (const { error } of failures) {
    if (error instanceof EpochOver) lost.abort();
    log.warn({ err: error }, message);
  }
}

/** Reports failures of single items of work. If there are any, the work runs again soon. */
export function endingOf(
  leadership: Pick<Leadership, 'log' | 'lost'>,
  message: string,
  failures: { error: unknown }[],
): ReconcileResult {
  reportFailures(leadership, message, failures);
  return failures.length === 0 ? 'done' : { requeueAfterMs: AFTER_FAILURE_MS };
}

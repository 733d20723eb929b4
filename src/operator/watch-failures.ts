import type { ApiProblem } from '#adapters/kubernetes/api/answer.ts';
import type { Leadership } from './lead.ts';

/** A failure of a watch within this time after the last one belongs to the same outage. */
const QUIET_MS = 60_000;

/** Counts failed watches, and warns about an outage once for each watch, not for each attempt. */
export function watchFailures({ log, metrics }: Pick<Leadership, 'log' | 'metrics'>) {
  const failedAt = new Map<string, number>();
  return (watch: string, { status, reason, message }: ApiProblem): void => {
    metrics.watchFailed(reason);
    const now = performance.now();
    const level = now - (failedAt.get(watch) ?? -Infinity) < QUIET_MS ? 'debug' : 'warn';
    failedAt.set(watch, now);
    log[level]({ what: watch, status, reason, message }, 'a watch failed');
  };
}

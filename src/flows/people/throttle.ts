import { countAttempts, type AttemptKey } from '#domain/access/throttle.ts';
import type { ThrottleStore } from './throttle-ports.ts';

/**
 * Counts the attempt as failed, until the caller calls `forgive`, and returns 0. If too many attempts have
 * failed before, returns how many milliseconds to wait, and does not count the attempt.
 */
export async function throttleAttempt(
  keys: readonly AttemptKey[],
  { throttle, now }: { throttle: Pick<ThrottleStore, 'withFailures'>; now: () => Date },
): Promise<number> {
  const at = now();
  return await throttle.withFailures(keys, at, async (tx) => {
    const failures = await tx.failures();
    const attempts = keys.map(({ kind }, index) => ({ kind, failures: failures[index] }));
    const attempt = countAttempts(attempts, at.getTime());
    if (attempt.answer === 'wait') return attempt.milliseconds;
    await tx.record(attempt.failures);
    return 0;
  });
}

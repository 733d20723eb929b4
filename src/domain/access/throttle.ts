/** Failed sign-ins for one account, or from one address. Times are milliseconds. */
export interface FailedAttempts {
  count: number;
  lastAt: number;
}

export type ThrottleKind = 'account' | 'address';

/** Attempts with the same key count together. */
export interface AttemptKey {
  kind: ThrottleKind;
  name: string;
}

/**
 * The first failures cause no wait. Each failure after them doubles the wait for the next attempt. The wait
 * for an account is short, so that nobody can lock its owner out. An address has more free failures, because
 * a whole company may share it.
 */
const RULES: Record<ThrottleKind, { freeFailures: number; firstWaitMs: number; maxWaitMs: number }> = {
  account: { freeFailures: 10, firstWaitMs: 1000, maxWaitMs: 60_000 },
  address: { freeFailures: 100, firstWaitMs: 1000, maxWaitMs: 300_000 },
};
/** Failures are forgotten after this time without another one. */
const FORGET_AFTER_MS = 15 * 60_000;

export type AttemptDecision =
  | { answer: 'wait'; milliseconds: number }
  | { answer: 'go'; failures: FailedAttempts };

/**
 * Whether another attempt is allowed. An attempt counts as failed until it succeeds, so that parallel
 * attempts count like successive ones.
 */
export function countAttempt(
  kind: ThrottleKind,
  previous: FailedAttempts | undefined,
  now: number,
): AttemptDecision {
  const { freeFailures, firstWaitMs, maxWaitMs } = RULES[kind];
  const count = previous === undefined || now - previous.lastAt >= FORGET_AFTER_MS ? 0 : previous.count;
  if (previous !== undefined && count >= freeFailures) {
    const wait = Math.min(firstWaitMs * 2 ** Math.min(count - freeFailures, 30), maxWaitMs);
    const remaining = previous.lastAt + wait - now;
    if (remaining > 0) return { answer: 'wait', milliseconds: remaining };
  }
  return { answer: 'go', failures: { count: count + 1, lastAt: now } };
}

/**
 * Whether one attempt that counts for several keys is allowed. If any key must wait, the attempt must wait
 * for the longest of their waits, and it counts for no key.
 */
export function countAttempts(
  keys: readonly { kind: ThrottleKind; failures: FailedAttempts | undefined }[],
  now: number,
): { answer: 'wait'; milliseconds: number } | { answer: 'go'; failures: FailedAttempts[] } {
  const attempts = keys.map(({ kind, failures }) => countAttempt(kind, failures, now));
  const waits = attempts.map((attempt) => (attempt.answer === 'wait' ? attempt.milliseconds : 0));
  const longest = Math.max(...waits);
  if (longest > 0) return { answer: 'wait', milliseconds: longest };
  const failures = attempts.flatMap((attempt) => (attempt.answer === 'go' ? [attempt.failures] : []));
  return { answer: 'go', failures };
}

/**
 * Failed sign-ins for one account or from one address. `lastAt`: time of the last one, in milliseconds since
 * 1970.
 */
export interface FailedAttempts {
  count: number;
  lastAt: number;
}

export type ThrottleKind = 'account' | 'address';

/** What failed attempts are counted for: the name of an account, or an IP address or network. */
export interface AttemptKey {
  kind: ThrottleKind;
  name: string;
}

/**
 * The first `freeFailures` attempts need not wait. The wait for the next attempt is `firstWaitMs`, and each
 * further failure doubles it. The longest wait for an account is short, so that nobody can lock its owner
 * out. An address has more free attempts, because a whole company may share it.
 */
const RULES: Record<ThrottleKind, { freeFailures: number; firstWaitMs: number; maxWaitMs: number }> = {
  account: { freeFailures: 10, firstWaitMs: 1000, maxWaitMs: 60_000 },
  address: { freeFailures: 100, firstWaitMs: 1000, maxWaitMs: 300_000 },
};
/** Failures are forgotten if no other failure follows within this time. */
const FORGET_AFTER_MS = 15 * 60_000;

export type AttemptDecision =
  | { answer: 'wait'; milliseconds: number }
  | { answer: 'go'; failures: FailedAttempts };

/**
 * Decides whether another attempt is allowed. `go`: it is, and `failures` is what to store. An attempt counts
 * as failed until it succeeds, so that parallel attempts count like successive ones.
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
 * Decides whether an attempt that counts for several keys is allowed. If it must wait for any key, it must
 * wait for the longest of these waits, and counts for none. `failures` has the order of `keys`.
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

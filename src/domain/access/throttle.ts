/** What is remembered of sign-ins that failed for one account, or from one address. Times in milliseconds. */
export interface Failures {
  count: number;
  lastAt: number;
}

export type ThrottleKind = 'account' | 'address';

/** Whose attempts are counted together. */
export interface AttemptKey {
  kind: ThrottleKind;
  name: string;
}

/**
 * The first failures are free; each one after that doubles the time until the next attempt is looked at. An
 * account is never shut for long, so that a stranger cannot keep its owner out; an address is given more,
 * since a company may share one.
 */
const RULES: Record<ThrottleKind, { free: number; firstWait: number; longestWait: number }> = {
  account: { free: 10, firstWait: 1000, longestWait: 60_000 },
  address: { free: 100, firstWait: 1000, longestWait: 300_000 },
};
/** After this time without a failure all is forgotten. */
const FORGOTTEN_AFTER = 15 * 60_000;

export type Attempt = { answer: 'wait'; milliseconds: number } | { answer: 'go'; failures: Failures };

/**
 * Whether one more attempt is looked at. It counts as failed until it succeeds, so that attempts made side by
 * side count as those made one after another do.
 */
export function takeAttempt(kind: ThrottleKind, known: Failures | undefined, now: number): Attempt {
  const { free, firstWait, longestWait } = RULES[kind];
  const count = known === undefined || now - known.lastAt >= FORGOTTEN_AFTER ? 0 : known.count;
  if (known !== undefined && count >= free) {
    const wait = Math.min(firstWait * 2 ** Math.min(count - free, 30), longestWait);
    const left = known.lastAt + wait - now;
    if (left > 0) return { answer: 'wait', milliseconds: left };
  }
  return { answer: 'go', failures: { count: count + 1, lastAt: now } };
}

/** One attempt that counts for several keys: it waits for the slowest of them, and then counts for none. */
export function takeAttempts(
  known: readonly { kind: ThrottleKind; failures: Failures | undefined }[],
  now: number,
): { answer: 'wait'; milliseconds: number } | { answer: 'go'; failures: Failures[] } {
  const attempts = known.map(({ kind, failures }) => takeAttempt(kind, failures, now));
  const waits = attempts.map((attempt) => (attempt.answer === 'wait' ? attempt.milliseconds : 0));
  const longest = Math.max(...waits);
  if (longest > 0) return { answer: 'wait', milliseconds: longest };
  const failures = attempts.flatMap((attempt) => (attempt.answer === 'go' ? [attempt.failures] : []));
  return { answer: 'go', failures };
}

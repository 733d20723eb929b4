/** How long the leader waits between two renewals while all is well. */
export const RENEW_EVERY_MS = 700;
/** How often a standby looks at the Lease. */
export const LOOK_EVERY_MS = 500;

export const MIN_LEASE_SECONDS = 3;
const MAX_LEASE_SECONDS = 15;
const RENEWALS_PER_LEASE = 4;
const MAX_REMEMBERED = 60;

/**
 * The lease is as short as the renewals are regular: a dead leader is followed within seconds while the API
 * server is quick, and a slow one keeps the lead. Intervals are those between recent successful renewals, in
 * milliseconds, and so contain our own delays too.
 */
export function leaseSeconds(intervalsMs: readonly number[]): number {
  const longest = Math.max(0, ...intervalsMs);
  const wanted = Math.ceil((longest * RENEWALS_PER_LEASE) / 1000);
  return Math.min(MAX_LEASE_SECONDS, Math.max(MIN_LEASE_SECONDS, wanted));
}

/**
 * The leader stops leading after this time without a renewal: a quarter of the lease before another may
 * begin.
 */
export function renewDeadlineMs(seconds: number): number {
  return seconds * 750;
}

/** The intervals with one more; those of the last minute or so count. */
export function withInterval(intervalsMs: readonly number[], ms: number): number[] {
  return [...intervalsMs.slice(-(MAX_REMEMBERED - 1)), ms];
}

/** Time between two renewals. */
export const RENEW_EVERY_MS = 600;
/** The leader counts the time since its last renewal in steps of this length. */
export const COUNT_EVERY_MS = 100;
/** The process stood still if a step took this much longer than planned. */
export const STANDSTILL_MS = 500;
/** How often a standby reads the Lease. */
export const LOOK_EVERY_MS = 500;

export const MIN_LEASE_SECONDS = 3;
const MAX_LEASE_SECONDS = 15;
/**
 * A lease is this many times as long as the longest recent interval between renewals, within the two limits
 * above.
 */
const RENEWALS_PER_LEASE = 4;
/** How many intervals are recent: 36 seconds of renewals, and the time of their requests. */
const MAX_INTERVALS = 60;

/**
 * The duration of a lease. It depends on the longest interval between the recent successful renewals. With a
 * fast API server, it is short, so another replica replaces a dead leader within seconds. With a slow API
 * server, it is long, so the leader can renew in time.
 */
export function leaseSeconds(intervalsMs: readonly number[]): number {
  const longest = Math.max(0, ...intervalsMs);
  const seconds = Math.ceil((longest * RENEWALS_PER_LEASE) / 1000);
  return Math.min(MAX_LEASE_SECONDS, Math.max(MIN_LEASE_SECONDS, seconds));
}

/**
 * The leader stops leading after this time without a renewal: three quarters of the lease. If the last
 * renewal was answered within a quarter of the lease, no other replica leads before that. The time of one
 * standstill of the process is not counted.
 */
export function renewDeadlineMs(secondsOfLease: number): number {
  return secondsOfLease * 750;
}

/** Adds an interval, and drops the oldest one beyond the limit. */
export function withInterval(intervalsMs: readonly number[], ms: number): number[] {
  return [...intervalsMs.slice(-(MAX_INTERVALS - 1)), ms];
}

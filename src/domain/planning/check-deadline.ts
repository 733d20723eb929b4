export const CHECK_TIMEOUT_SECONDS = 5 * 60;
/** Checks of one Pod that run side by side. */
export const CHECKS_AT_ONCE = 4;
/** For images to be pulled and containers to start. */
const START_SECONDS = 10 * 60;
const MOST_SECONDS = 2 * 60 * 60;

/** For a Pod whose hooks nobody waits for any more: the operator ends it sooner. */
export const HOOKS_DEADLINE_SECONDS = 60;

/**
 * How long a Pod with so many checks may take: long enough should every one of them hang, at most two hours.
 */
export function checkDeadlineSeconds(checks: number): number {
  const rounds = Math.max(1, Math.ceil(checks / CHECKS_AT_ONCE));
  return Math.min(START_SECONDS + rounds * CHECK_TIMEOUT_SECONDS, MOST_SECONDS);
}

/** Timeout of one check. */
export const CHECK_TIMEOUT_SECONDS = 5 * 60;
/** Checks of one Pod that run in parallel. */
export const MAX_PARALLEL_CHECKS = 4;
/** Time to pull images and start containers. */
const START_SECONDS = 10 * 60;
const MAX_SECONDS = 2 * 60 * 60;

/** Deadline of a Pod that runs hooks. Usually the operator ends it sooner. */
export const HOOKS_DEADLINE_SECONDS = 60;
/** Deadline of a Pod that sends notifications of builds. It may have to pull images first. */
export const NOTIFICATIONS_DEADLINE_SECONDS = 15 * 60;

/**
 * How long a Pod with this number of checks may run: long enough for every check to time out, but at most two
 * hours.
 */
export function checkDeadlineSeconds(checkCount: number): number {
  const rounds = Math.max(1, Math.ceil(checkCount / MAX_PARALLEL_CHECKS));
  return Math.min(START_SECONDS + rounds * CHECK_TIMEOUT_SECONDS, MAX_SECONDS);
}

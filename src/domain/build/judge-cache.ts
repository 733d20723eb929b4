import type { AttemptReport, PodReport } from './pod-report.ts';

/** How many seconds a Pod may wait for the volumes of its caches. */
export const CACHE_SECONDS = 20;

/**
 * Why a Pod should be replaced by a Pod without caches, as a sentence. Undefined: its caches do not delay its
 * start too long.
 */
export function judgeCache(
  pod: PodReport,
  { ageSeconds, scheduledSeconds = ageSeconds }: Pick<AttemptReport, 'ageSeconds' | 'scheduledSeconds'>,
): string | undefined {
  if (pod.hasCache !== true) return undefined;
  if (pod.scheduled) {
    const waitsTooLong = pod.sandboxReady === false && scheduledSeconds >= CACHE_SECONDS;
    return waitsTooLong ? `The volume of a cache was not mounted within ${CACHE_SECONDS} s.` : undefined;
  }
  if (ageSeconds < CACHE_SECONDS || !mayWaitForVolume(pod)) return undefined;
  const suffix = pod.unschedulable === undefined ? '' : `: ${pod.unschedulable}`;
  return `The volume of a cache kept the Pod without a node for ${CACHE_SECONDS} s${suffix}`;
}

/**
 * Whether a volume may be the reason why a Pod has no node. While the scheduler waits for a new volume, it
 * reports nothing.
 */
function mayWaitForVolume({ unschedulable }: PodReport): boolean {
  return unschedulable === undefined || /volume/i.test(unschedulable);
}

import type { AttemptReport, PodReport } from './pod-report.ts';

/** How long a Pod may wait for the volumes of its caches. */
export const CACHE_SECONDS = 20;

/**
 * Why a Pod should be replaced by one without caches, as a sentence. Undefined: its caches do not keep it
 * from starting.
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
 * Whether a Pod may be without a node because of a volume. The scheduler reports nothing while it waits for a
 * new volume.
 */
function mayWaitForVolume({ unschedulable }: PodReport): boolean {
  return unschedulable === undefined || /volume/i.test(unschedulable);
}

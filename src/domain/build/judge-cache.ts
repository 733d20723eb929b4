import type { AttemptReport, PodReport } from './pod-report.ts';

/** How long a Pod may wait for the volumes of its caches. */
export const CACHE_SECONDS = 20;

/**
 * Why a Pod is to be replaced by one without caches: a sentence. Undefined: its caches do not keep it from
 * starting.
 */
export function judgeCache(
  pod: PodReport,
  { ageSeconds, scheduledSeconds = ageSeconds }: Pick<AttemptReport, 'ageSeconds' | 'scheduledSeconds'>,
): string | undefined {
  if (pod.hasCache !== true) return undefined;
  if (pod.scheduled) {
    const waits = pod.sandboxReady === false && scheduledSeconds >= CACHE_SECONDS;
    return waits ? `The volume of a cache was not mounted within ${CACHE_SECONDS} s.` : undefined;
  }
  if (ageSeconds < CACHE_SECONDS || !keepsFromNode(pod)) return undefined;
  const why = pod.unschedulable === undefined ? '' : `: ${pod.unschedulable}`;
  return `The volume of a cache kept the Pod without a node for ${CACHE_SECONDS} s${why}`;
}

/** While the scheduler waits for a new volume, it reports nothing. */
function keepsFromNode({ unschedulable }: PodReport): boolean {
  return unschedulable === undefined || /volume/i.test(unschedulable);
}

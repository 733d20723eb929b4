import { problemOf } from './judge-pending.ts';
import { hasEnded } from './pod-fault.ts';
import type { PodReport } from './pod-report.ts';

/** Seconds after which a Pod without a node counts as unplaced although the scheduler has not said so. */
const MAX_UNSCHEDULED_SECONDS = 10;
/**
 * Seconds after which a Pod on a node no longer counts as starting: whatever it waits for, it is no longer
 * the node.
 */
const MAX_STARTING_SECONDS = 120;

export interface StartingAges {
  /** Seconds since the Pod was created. */
  created: number;
  /** Seconds since it got its node, where that is known. */
  scheduled?: number;
}

/**
 * What a Pod whose agent has not spoken yet does to its node. `undefined`: nothing, because it has ended, is
 * being deleted, or cannot start at all. Every answer but that one passes: no Pod holds a place in the start
 * window for ever.
 */
export function judgeStarting(
  pod: PodReport | undefined,
  { created, scheduled = created }: StartingAges,
): 'starting' | 'unplaced' | undefined {
  if (pod === undefined) return created < MAX_UNSCHEDULED_SECONDS ? 'starting' : undefined;
  if (pod.deleting || hasEnded(pod)) return undefined;
  if (!pod.scheduled) return judgeUnscheduled(pod, created);
  if (scheduled >= MAX_STARTING_SECONDS) return undefined;
  return pod.containers.some((container) => problemOf(container) !== undefined) ? undefined : 'starting';
}

function judgeUnscheduled({ unschedulable }: PodReport, created: number): 'starting' | 'unplaced' {
  return unschedulable !== undefined || created >= MAX_UNSCHEDULED_SECONDS ? 'unplaced' : 'starting';
}

import { startFailureReason } from './judge-pending.ts';
import { hasEnded } from './pod-fault.ts';
import type { PodReport } from './pod-report.ts';

/** Seconds after which a Pod without a node counts as unplaced, even if the scheduler reports nothing. */
const MAX_UNSCHEDULED_SECONDS = 10;
/**
 * Seconds after which a Pod with a node does not count as starting any more, because it then waits for
 * something other than the node.
 */
const MAX_STARTING_SECONDS = 120;

export interface StartingAges {
  /** Seconds since the Pod was created. */
  created: number;
  /** Seconds since the Pod got its node, if known. */
  scheduled?: number;
}

/**
 * How a Pod whose agent has not connected yet counts in the start window, which limits how many Pods start at
 * a time. `unplaced`: no node fits the Pod so far, so it loads none. Undefined: the Pod does not count,
 * because it has ended, is being deleted, cannot start or has had enough time. `pod` undefined: the Pod is
 * not known yet.
 */
export function judgeStarting(
  pod: PodReport | undefined,
  { created, scheduled = created }: StartingAges,
): 'starting' | 'unplaced' | undefined {
  if (pod === undefined) return created < MAX_UNSCHEDULED_SECONDS ? 'starting' : undefined;
  if (pod.deleting || hasEnded(pod)) return undefined;
  if (!pod.scheduled) return judgeUnscheduled(pod, created);
  if (scheduled >= MAX_STARTING_SECONDS) return undefined;
  return pod.containers.some((container) => startFailureReason(container) !== undefined)
    ? undefined
    : 'starting';
}

function judgeUnscheduled({ unschedulable }: PodReport, created: number): 'starting' | 'unplaced' {
  return unschedulable !== undefined || created >= MAX_UNSCHEDULED_SECONDS ? 'unplaced' : 'starting';
}

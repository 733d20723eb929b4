import { brokenContainer, hasEnded } from '#domain/build/pod-fault.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { verifyGoneWarmPod, verifyWarmPod, type CurrentPod } from '#flows/pods/verify-pods.ts';
import type { WarmPodRow, WarmPodStore } from '#flows/pods/warm-ports.ts';
import { followBuildPod, type FollowBuildPorts } from './follow-pods.ts';

type Work = PodFacts['work'] & { kind: 'warm' };

export interface FollowWarmPorts extends FollowBuildPorts {
  warmPods: Pick<WarmPodStore, 'rowOf' | 'remove' | 'fail'>;
}

/** Short, because no step runs in a Pod that no build has taken. */
const GRACE_SECONDS = 1;

/**
 * Follows a Pod that was created as a warm Pod. If a build has taken the Pod, it is followed as that build's
 * Pod.
 */
export async function followWarmPod(pod: PodFacts, work: Work, ports: FollowWarmPorts): Promise<void> {
  const { warmPods, foreign } = ports;
  if (foreign.has(pod)) return;
  const row = await warmPods.rowOf(work.warm);
  const verified = verifyWarmPod(pod, row, foreign);
  if (verified.verdict === 'foreign') return;
  if (verified.verdict === 'own' && row !== undefined)
    return await followOwn(verified.pod, row, { work, ports });
  await removePod(pod, ports);
}

async function followOwn(
  pod: CurrentPod,
  row: WarmPodRow,
  { work, ports }: { work: Work; ports: FollowWarmPorts },
): Promise<void> {
  if (row.state === 'taken') {
    await followBuildPod(row, pod, ports);
    return;
  }
  if (row.state === 'waiting') {
    if (!isOver(pod)) return;
    // False: the row has changed, mostly because a build has just taken the Pod. So the row is read again.
    if (!(await giveUp(pod, work, ports))) return await followWarmPod(pod, work, ports);
  }
  await removePod(pod, ports);
}

/**
 * Removes the row of a Pod that is being deleted. Records any other Pod as failed: it has ended by itself, or
 * one of its containers cannot run. Another Pod of that shape would fail too, so none is created for some
 * time. Returns false if the row has changed meanwhile, mostly because a build has taken the Pod.
 */
async function giveUp(pod: PodFacts, { warm }: Work, { warmPods }: FollowWarmPorts): Promise<boolean> {
  if (pod.deleting) return await warmPods.remove(warm);
  const { state, exitCode, message } = brokenContainer(pod) ?? pod.containers[0] ?? {};
  const howItEnded = state === 'terminated' ? ` with exit code ${exitCode}: ${message ?? ''}` : '.';
  return await warmPods.fail(warm, `Its Pod ended before a build took it${howItEnded}`);
}

/** No build can run in the Pod, or the Pod will be gone soon. */
function isOver(pod: PodFacts): boolean {
  return pod.deleting || hasEnded(pod) || brokenContainer(pod) !== undefined;
}

async function removePod(pod: PodFacts, { cluster }: FollowWarmPorts): Promise<void> {
  const { namespace, name, uid, deleting } = pod;
  if (!deleting) await cluster.deletePod(namespace, name, uid, hasEnded(pod) ? 0 : GRACE_SECONDS);
}

/** Follows a deleted Pod. If a build had taken the Pod, follows it as `followGoneBuildPod` does. */
export async function followGoneWarmPod(
  lastSeen: PodFacts,
  work: Work,
  ports: FollowWarmPorts,
): Promise<void> {
  const row = await ports.warmPods.rowOf(work.warm);
  const gone = verifyGoneWarmPod(lastSeen, row, ports.foreign);
  if (gone === undefined || row === undefined) return;
  if (row.state === 'taken') {
    await followBuildPod(row, hasEnded(gone) ? { ...gone, deleting: true } : undefined, ports);
  } else if (row.state === 'waiting') {
    const isRemoved = await ports.warmPods.remove(work.warm);
    // The row has changed, mostly because a build has just taken the Pod. So the row is read again.
    if (!isRemoved) await followGoneWarmPod(lastSeen, work, ports);
  }
}

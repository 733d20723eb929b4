import { brokenContainer, hasEnded } from '#domain/build/pod-fault.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { verifyGoneWarmPod, verifyWarmPod, type CurrentPod } from '#flows/pods/verify-pods.ts';
import type { WarmPodOwner, WarmPodStore } from '#flows/pods/warm-ports.ts';
import { followBuildPod, type FollowBuildPorts } from './follow-pods.ts';

type Work = PodFacts['work'] & { kind: 'warm' };

export interface FollowWarmPorts extends FollowBuildPorts {
  warmPods: Pick<WarmPodStore, 'owner' | 'remove' | 'fail'>;
}

/** No step runs in a Pod that nobody has taken. */
const GRACE_SECONDS = 1;

/** Follows a Pod whose labels say that it waits. If a build has taken it, it is judged as the build's Pod. */
export async function followWarmPod(pod: PodFacts, work: Work, ports: FollowWarmPorts): Promise<void> {
  const { warmPods, foreign } = ports;
  if (foreign.has(pod)) return;
  const owner = await warmPods.owner(work.warm);
  const entered = verifyWarmPod(pod, owner, foreign);
  if (entered.verdict === 'foreign') return;
  if (entered.verdict === 'own' && owner !== undefined)
    return await followOwn(entered.pod, owner, { work, ports });
  await removePod(pod, ports);
}

async function followOwn(
  pod: CurrentPod,
  owner: WarmPodOwner,
  { work, ports }: { work: Work; ports: FollowWarmPorts },
): Promise<void> {
  if (owner.state === 'taken') {
    await followBuildPod(owner, pod, ports);
    return;
  }
  if (owner.state === 'waiting') {
    if (!isOver(pod)) return;
    // If a build has just taken it, the build loses its Pod.
    if (!(await giveUp(pod, work, ports))) return await followWarmPod(pod, work, ports);
  }
  await removePod(pod, ports);
}

/** A Pod that ended by itself would do so again, so none of its shape is created for some time. */
async function giveUp(pod: PodFacts, { warm }: Work, { warmPods }: FollowWarmPorts): Promise<boolean> {
  if (pod.deleting) return await warmPods.remove(warm);
  const { state, exitCode, message } = brokenContainer(pod) ?? pod.containers[0] ?? {};
  const why = state === 'terminated' ? ` with exit code ${exitCode}: ${message ?? ''}` : '.';
  return await warmPods.fail(warm, `Its Pod ended before a build took it${why}`);
}

/** No build can run in it, or it will be gone soon. */
function isOver(pod: PodFacts): boolean {
  return pod.deleting || hasEnded(pod) || brokenContainer(pod) !== undefined;
}

async function removePod(pod: PodFacts, { cluster }: FollowWarmPorts): Promise<void> {
  const { namespace, name, uid, deleting } = pod;
  if (!deleting) await cluster.deletePod(namespace, name, uid, hasEnded(pod) ? 0 : GRACE_SECONDS);
}

/** Follows a deleted Pod. A build that had taken it gets another one, unless the Pod had ended before. */
export async function followGoneWarmPod(last: PodFacts, work: Work, ports: FollowWarmPorts): Promise<void> {
  const owner = await ports.warmPods.owner(work.warm);
  const lost = verifyGoneWarmPod(last, owner, ports.foreign);
  if (lost === undefined || owner === undefined) return;
  if (owner.state === 'taken') {
    await followBuildPod(owner, hasEnded(lost) ? { ...lost, deleting: true } : undefined, ports);
  } else if (owner.state === 'waiting' && !(await ports.warmPods.remove(work.warm)))
    await followGoneWarmPod(last, work, ports);
}

import { isLost } from '#domain/build/judge-pod-end.ts';
import { hasEnded } from '#domain/build/pod-fault.ts';
import { endRefused } from './check-refusal.ts';
import { tellCheckEnd } from '#domain/build/tell-check-end.ts';
import type { CheckStore, OpenRun } from './check-ports.ts';
import type { Cluster, PodFacts } from './cluster-ports.ts';
import type { Bell } from './ports.ts';

export interface FollowChecksPorts {
  checks: Pick<CheckStore, 'closeRun' | 'releaseRun' | 'runFacts'>;
  cluster: Pick<Cluster, 'deletePod' | 'createCheckPod'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

/** Without an agent after this time a run has failed. */
const PATIENCE_SECONDS = 5 * 60;
const LOST = 'The Pod of the check is lost: it was deleted, and its node does not say that it ended.';

/**
 * What to do about the Pod of a check run, or about its absence. `run` undefined: it is closed, so the Pod has nothing more to do. A
 * Pod that a CronJob made is left to that.
 */
export async function followCheckPod(
  run: OpenRun | undefined,
  pod: PodFacts | undefined,
  ports: FollowChecksPorts,
): Promise<'wait' | 'closed' | 'made'> {
  if (run === undefined) {
    if (pod !== undefined && hasEnded(pod)) await remove(pod, ports);
    return 'closed';
  }
  const late = !run.seen && secondsSince(run.openedAt, ports) >= PATIENCE_SECONDS;
  const lost = isOverdue(pod, ports);
  const verdict = judgeRun(run, pod, late || lost);
  if (verdict === 'make') return await makeAgain(run, ports);
  if (verdict === 'wait') return 'wait';
  await ports.checks.closeRun(run.run, ports.now(), lost ? LOST : tellCheckEnd(pod));
  ports.bell.ring('status', run.pipelineId);
  ports.bell.ring('checks', 0);
  await remove(pod, ports);
  return 'closed';
}

function judgeRun(run: OpenRun, pod: PodFacts | undefined, late: boolean): 'wait' | 'make' | 'close' {
  if (late) return 'close';
  if (pod !== undefined) return hasEnded(pod) ? 'close' : 'wait';
  return run.seen || run.podUid !== undefined ? 'close' : 'make';
}

/** The operator died between claim and Pod, or somebody deleted the Pod before its agent came. */
async function makeAgain(run: OpenRun, ports: FollowChecksPorts): Promise<'made' | 'closed'> {
  const facts = await ports.checks.runFacts(run.run);
  const answer = facts && (await ports.cluster.createCheckPod(facts));
  if (answer !== undefined && answer.answer !== 'refused') return 'made';
  if (answer === undefined) await ports.checks.closeRun(run.run, ports.now());
  else await endRefused(run.run, answer, ports);
  return 'closed';
}

function secondsSince(then: Date, { now }: FollowChecksPorts): number {
  return (now().getTime() - then.getTime()) / 1000;
}

function isOverdue(pod: PodFacts | undefined, ports: FollowChecksPorts): boolean {
  if (pod?.deletedAt === undefined || hasEnded(pod)) return false;
  return isLost(secondsSince(pod.deletedAt, ports));
}

async function remove(pod: PodFacts | undefined, { cluster }: FollowChecksPorts): Promise<void> {
  if (pod === undefined || pod.deleting) return;
  if (pod.work.kind === 'checks' && pod.work.run === undefined) return;
  await cluster.deletePod(pod.namespace, pod.name, pod.uid, 0);
}

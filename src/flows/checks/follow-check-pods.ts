import { explainCheckFailure } from '#domain/build/explain-check-failure.ts';
import { judgeCache } from '#domain/build/judge-cache.ts';
import { isLost } from '#domain/build/judge-pod-end.ts';
import { brokenContainer, hasEnded } from '#domain/build/pod-fault.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import { requestCheckPod, type RequestCheckPodPorts } from '#flows/pods/request-pod.ts';
import type { CurrentPod, OwnedPod } from '#flows/pods/verify-pods.ts';
import type { OpenRun } from '#flows/pods/workloads.ts';
import { endRefused } from './check-refusal.ts';
import type { CheckStore } from './ports.ts';
import { closeRun } from './record-check.ts';

export interface FollowChecksPorts {
  checks: Pick<CheckStore, 'withChecks' | 'cronNext' | 'releaseRun' | 'runFacts'>;
  cluster: Pick<Cluster, 'deletePod'> & RequestCheckPodPorts['cluster'];
  caches: RequestCheckPodPorts['caches'];
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** A run of checks fails if no agent opens its session within this time. */
const MAX_WAIT_FOR_AGENT_SECONDS = 5 * 60;
/** Time that an agent has to report the death of one of its containers. */
const MAX_WAIT_FOR_REPORT_SECONDS = 30;
const LOST = 'The Pod is lost: it was deleted, and its node does not report that it ended.';

/** Deletes the Pod of a closed run, once the Pod has ended. */
export async function removeEnded(pod: OwnedPod, ports: Pick<FollowChecksPorts, 'cluster'>): Promise<void> {
  if (hasEnded(pod)) await remove(pod, ports);
}

/** Judges the Pod of a check run, or its absence. Does not delete Pods of CronJobs: the CronJob does. */
export async function followCheckPod(
  run: OpenRun,
  pod: CurrentPod | undefined,
  ports: FollowChecksPorts,
): Promise<'wait' | 'closed' | 'created'> {
  const cacheFault = pod && cacheFaultOf(run, pod, ports);
  if (cacheFault !== undefined) return await releaseForCache(run, { pod, why: cacheFault }, ports);
  const late = !run.seen && !run.hooks && secondsSince(run.openedAt, ports) >= MAX_WAIT_FOR_AGENT_SECONDS;
  const lost = isOverdue(pod, ports);
  const verdict = judgeRun(run, pod, late || lost || isBroken(pod, ports));
  if (verdict === 'create') return await createPodAgain(run, ports);
  if (verdict === 'wait') return 'wait';
  await close(run, lost ? LOST : explainCheckFailure(pod, workOf(run)), ports);
  await remove(pod, ports);
  return 'closed';
}

/** Why the Pod cannot mount its cache; undefined if it can, or if it needs no cache. */
function cacheFaultOf({ seen }: OpenRun, pod: CurrentPod, ports: FollowChecksPorts): string | undefined {
  if (seen || pod.deleting || hasEnded(pod)) return undefined;
  const { createdAt, scheduledAt } = pod;
  return judgeCache(pod, {
    ageSeconds: secondsSince(createdAt, ports),
    ...(scheduledAt && { scheduledSeconds: secondsSince(scheduledAt, ports) }),
  });
}

/** Ends the run, so that its checks run again. The next run leaves the cache out. */
async function releaseForCache(
  { run }: OpenRun,
  { pod, why }: { pod: CurrentPod | undefined; why: string },
  ports: FollowChecksPorts,
): Promise<'closed'> {
  await ports.checks.releaseRun(run, ports.now(), `CacheUnavailable: ${why}`);
  await remove(pod, ports);
  ports.notifications.notify({ topic: 'checks' });
  return 'closed';
}

function workOf({ hooks, notifications }: OpenRun): 'check' | 'hooks' | 'notifications' {
  if (notifications === true) return 'notifications';
  return hooks ? 'hooks' : 'check';
}

async function close({ run, pipelineId }: OpenRun, why: string, ports: FollowChecksPorts): Promise<void> {
  const { released } = await closeRun(run, ports, why);
  if (released) ports.notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  ports.notifications.notify({ topic: 'status', pipeline: pipelineId });
  ports.notifications.notify({ topic: 'checks' });
}

function judgeRun(run: OpenRun, pod: PodFacts | undefined, failed: boolean): 'wait' | 'create' | 'close' {
  if (failed) return 'close';
  if (pod !== undefined) return hasEnded(pod) ? 'close' : 'wait';
  if (run.seen || run.podUid !== undefined) return 'close';
  // Hooks and notifications have a timer of their own (run-hooks.ts).
  return run.hooks ? 'wait' : 'create';
}

/**
 * Creates the Pod of a run that has none: the operator died before it created the Pod, the request to create
 * the Pod failed, or somebody deleted the Pod before its agent connected.
 */
async function createPodAgain(run: OpenRun, ports: FollowChecksPorts): Promise<'created' | 'closed'> {
  const facts = await ports.checks.runFacts(run.run);
  const answer = facts && (await requestCheckPod(facts, ports));
  if (answer !== undefined && answer.answer !== 'refused') return 'created';
  if (answer === undefined) await closeRun(run.run, ports);
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

function isBroken(pod: PodFacts | undefined, ports: FollowChecksPorts): boolean {
  if (pod === undefined || pod.deleting) return false;
  const { finishedAt } = brokenContainer(pod) ?? {};
  return finishedAt !== undefined && secondsSince(finishedAt, ports) >= MAX_WAIT_FOR_REPORT_SECONDS;
}

async function remove(
  pod: OwnedPod | undefined,
  { cluster }: Pick<FollowChecksPorts, 'cluster'>,
): Promise<void> {
  if (pod === undefined || pod.deleting) return;
  if (pod.work.kind === 'checks' && pod.work.run === undefined) return;
  await cluster.deletePod(pod.namespace, pod.name, pod.uid, 0);
}

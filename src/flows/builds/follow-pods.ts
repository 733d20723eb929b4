import { defined } from '#defined';
import { cancelGraceSeconds } from '#domain/build/cancel-grace.ts';
import { judgePodEnd } from '#domain/build/judge-pod-end.ts';
import { parseTermination } from '#domain/build/parse-termination.ts';
import { hasEnded } from '#domain/build/pod-fault.ts';
import type { AttemptReport, PodJudgement } from '#domain/build/pod-report.ts';
import { stateOf } from '#domain/build/stored-state.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { Cluster, PodFacts } from '#flows/pods/ports.ts';
import {
  podOfAttempt,
  verifyBuildPod,
  verifyGoneBuildPod,
  type CurrentPod,
  type OwnedPod,
  type VerifyPodPorts,
} from '#flows/pods/verify-pods.ts';
import { endBuild, retryAttempt } from './end-build.ts';
import type { AttemptFacts, BuildStore } from './ports.ts';
import { recordStart, type RecordStartPorts } from './record-start.ts';

type Work = PodFacts['work'] & { kind: 'build' };

export interface FollowBuildPorts extends VerifyPodPorts, Pick<RecordStartPorts, 'seenStart'> {
  builds: Pick<
    BuildStore,
    'recordedPod' | 'attemptFacts' | 'buildState' | 'explainPending' | 'recordStart' | 'withBuild'
  >;
  cluster: Pick<Cluster, 'deletePod' | 'findBuildPod'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
  /** Called when a Pod is deleted because its agent did not end a cancelled build. */
  reportHangingAgent: (build: AttemptFacts, message: string) => void;
}

/** Time for the agent to end its last step and report that. */
const GRACE_SECONDS = 10;

/**
 * Follows a Pod whose labels name a build. Only the build's own Pod is judged, and only Pods of Millrace are
 * deleted.
 */
export async function followSeenBuildPod(
  pod: PodFacts,
  work: Work,
  ports: FollowBuildPorts,
): Promise<PodJudgement['decision'] | 'over' | 'foreign'> {
  const verified = await verifyBuildPod(pod, work, ports);
  if (verified.verdict === 'foreign') return 'foreign';
  if (verified.verdict === 'own') return await followBuildPod(work, verified.pod, ports);
  await remove(verified.pod, ports);
  return 'over';
}

/**
 * Judges a build's Pod, or its absence. If the build has ended, deletes the Pod. If the Pod has ended or is
 * gone, ends the build or gives it another attempt.
 */
export async function followBuildPod(
  { build, attempt }: { build: number; attempt: number },
  seenPod: CurrentPod | undefined,
  ports: FollowBuildPorts,
): Promise<PodJudgement['decision'] | 'over'> {
  const facts = await ports.builds.attemptFacts(build, attempt);
  const stored = facts && (await ports.builds.buildState(build, attempt));
  const state = stored && stateOf(stored);
  if (facts === undefined || state === undefined || !isActive(state.status)) {
    await remove(seenPod, ports);
    await recordStart({ facts, state, pod: seenPod, isOver: true }, ports);
    return 'over';
  }
  const pod = seenPod ?? (await findUnwatchedPod(facts, ports));
  const judgement = judgePodEnd(state, pod, reportOf(facts, pod, ports.now()));
  await carryOut(facts, pod, judgement, ports);
  const isOver = judgement.decision !== 'wait';
  if (isOver) await remove(pod, ports);
  await recordStart({ facts, state, pod, isOver }, ports);
  return judgement.decision;
}

/**
 * Follows a deleted Pod. If the Pod had ended before, its own end and the agent's termination message count,
 * not the deletion.
 */
export async function followGoneBuildPod(
  lastSeen: PodFacts,
  work: Work,
  ports: FollowBuildPorts,
): Promise<PodJudgement['decision'] | 'over' | 'foreign'> {
  const gone = await verifyGoneBuildPod(lastSeen, work, ports);
  if (gone === undefined) return 'foreign';
  return await followBuildPod(work, hasEnded(gone) ? { ...gone, deleting: true } : undefined, ports);
}

/** Reads the Pod from the API server: the watch does not show a Pod that has lost the labels of Millrace. */
async function findUnwatchedPod(
  facts: AttemptFacts,
  { cluster }: FollowBuildPorts,
): Promise<CurrentPod | undefined> {
  if (facts.podUid === undefined) return undefined;
  const pod = await cluster.findBuildPod(facts);
  return pod && podOfAttempt(facts, [pod]);
}

function reportOf(facts: AttemptFacts, pod: PodFacts | undefined, now: Date): AttemptReport {
  const { attempt, retries, cancelled } = facts;
  const job = facts.definition.jobs.find(({ name }) => name === facts.job);
  return {
    attempt,
    retries,
    ...(cancelled && { cancelled: reportOfCancel(cancelled, facts, now) }),
    disableRetry: job?.disableRetry === true,
    ...(pod === undefined ? { ageSeconds: 0 } : agesOf(pod, now)),
  };
}

function reportOfCancel(
  { at, reason }: NonNullable<AttemptFacts['cancelled']>,
  { definition, job }: AttemptFacts,
  now: Date,
): NonNullable<AttemptReport['cancelled']> {
  return {
    seconds: secondsSince(at, now),
    graceSeconds: cancelGraceSeconds(definition, job),
    ...defined({ reason }),
  };
}

type PodAges = Pick<
  AttemptReport,
  'ageSeconds' | 'scheduledSeconds' | 'agentEndedSeconds' | 'overdueSeconds'
>;

function agesOf({ createdAt, scheduledAt, deletedAt, containers: [agent] }: PodFacts, now: Date): PodAges {
  return {
    ageSeconds: secondsSince(createdAt, now),
    ...(scheduledAt && { scheduledSeconds: secondsSince(scheduledAt, now) }),
    ...(agent?.finishedAt && { agentEndedSeconds: secondsSince(agent.finishedAt, now) }),
    ...(deletedAt && { overdueSeconds: secondsSince(deletedAt, now) }),
  };
}

function secondsSince(then: Date, now: Date): number {
  return (now.getTime() - then.getTime()) / 1000;
}

async function carryOut(
  facts: AttemptFacts,
  pod: PodFacts | undefined,
  judgement: PodJudgement,
  ports: FollowBuildPorts,
): Promise<void> {
  const { builds, notifications, now } = ports;
  const { decision } = judgement;
  if (decision === 'wait') return await explain(facts, judgement, ports);
  // The caller deletes the Pod, and the build ends once the Pod is gone: until then, the Pod uses resources.
  if (decision === 'stop') return ports.reportHangingAgent(facts, judgement.message);
  const termination = parseTermination(pod?.containers[0]?.message);
  const details = { at: now(), ...defined({ termination }) };
  const ref = { build: facts.id, attempt: facts.attempt };
  if (decision === 'end') {
    const { outcome, reason, message } = judgement;
    await endBuild(ref, { outcome, reason, message, ...details }, builds);
    notifications.notify({ topic: 'schedule', pipeline: facts.pipelineId });
  } else {
    const reason = `${judgement.reason}: ${judgement.message}`;
    await retryAttempt(ref, { reason, ...details }, builds);
    notifications.notify({ topic: 'builds' });
  }
  notifications.notify({ topic: 'status', pipeline: facts.pipelineId });
}

async function explain(
  { id }: AttemptFacts,
  { reason = 'Pending', message }: { reason?: string; message?: string },
  { builds }: FollowBuildPorts,
): Promise<void> {
  if (message !== undefined) await builds.explainPending(id, `${reason}: ${message}`);
}

/** Deletes the Pod. A Pod that has not ended gets `GRACE_SECONDS`, in which its agent can still report. */
async function remove(pod: OwnedPod | undefined, { cluster }: FollowBuildPorts): Promise<void> {
  if (pod === undefined || pod.deleting) return;
  const ended = pod.phase === 'Succeeded' || pod.phase === 'Failed';
  await cluster.deletePod(pod.namespace, pod.name, pod.uid, ended ? 0 : GRACE_SECONDS);
}

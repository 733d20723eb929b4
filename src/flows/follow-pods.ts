import { isOver } from '#domain/build/apply-events.ts';
import { judgePodEnd } from '#domain/build/judge-pod-end.ts';
import { parseTermination } from '#domain/build/parse-termination.ts';
import { hasEnded } from '#domain/build/pod-fault.ts';
import type { AttemptReport, PodJudgement } from '#domain/build/pod-report.ts';
import type { Cluster, PodFacts } from './cluster-ports.ts';
import type { AttemptFacts, Bell, BuildStore } from './ports.ts';

export interface FollowBuildPorts {
  builds: Pick<BuildStore, 'attemptFacts' | 'buildState' | 'explainPending' | 'endBuild' | 'retryBuild'>;
  cluster: Pick<Cluster, 'deletePod'>;
  bell: Pick<Bell, 'ring'>;
  now: () => Date;
}

/** Long enough for an agent to end its last step and say so. */
const GRACE_SECONDS = 10;

/** What to do now about a build's Pod, or about its absence: the Pod ends with its build, and a build with its Pod. */
export async function followBuildPod(
  { build, attempt }: { build: number; attempt: number },
  pod: PodFacts | undefined,
  ports: FollowBuildPorts,
): Promise<PodJudgement['decision'] | 'over'> {
  const facts = await ports.builds.attemptFacts(build, attempt);
  const state = facts && (await ports.builds.buildState(build, attempt));
  if (facts === undefined || state === undefined || isOver(state.status)) {
    await remove(pod, ports);
    return 'over';
  }
  if (pod !== undefined && facts.podUid !== undefined && facts.podUid !== pod.uid) {
    // Not the Pod that this attempt was given: somebody deleted that one and another was made of its name.
    await remove(pod, ports);
    return 'wait';
  }
  const judgement = judgePodEnd(state, pod, {
    attempt,
    retries: facts.retries,
    cancelRequested: facts.cancelRequested,
    disableRetry: facts.definition.jobs.some(({ name, disableRetry }) => name === facts.job && disableRetry),
    ...(pod === undefined ? { ageSeconds: 0 } : clocksOf(pod, ports.now())),
  });
  await carryOut(facts, pod, judgement, ports);
  if (judgement.decision !== 'wait') await remove(pod, ports);
  return judgement.decision;
}

/** A Pod that is gone. If it had ended before, its end counts, with its agent's last words, and not that it was removed. */
export async function followGoneBuildPod(
  work: { build: number; attempt: number },
  last: PodFacts,
  ports: FollowBuildPorts,
): Promise<PodJudgement['decision'] | 'over'> {
  return await followBuildPod(work, hasEnded(last) ? { ...last, deleting: true } : undefined, ports);
}

type Clocks = Pick<AttemptReport, 'ageSeconds' | 'scheduledSeconds' | 'overdueSeconds'>;

function clocksOf({ createdAt, scheduledAt, deletedAt }: PodFacts, now: Date): Clocks {
  const since = (then: Date): number => (now.getTime() - then.getTime()) / 1000;
  return {
    ageSeconds: since(createdAt),
    ...(scheduledAt === undefined ? {} : { scheduledSeconds: since(scheduledAt) }),
    ...(deletedAt === undefined ? {} : { overdueSeconds: since(deletedAt) }),
  };
}

async function carryOut(
  facts: AttemptFacts,
  pod: PodFacts | undefined,
  judgement: PodJudgement,
  ports: FollowBuildPorts,
): Promise<void> {
  const { builds, bell, now } = ports;
  const words = parseTermination(pod?.containers[0]?.message);
  const left = { at: now(), ...(words && { words }) };
  switch (judgement.decision) {
    case 'wait':
      if (judgement.message !== undefined) {
        await builds.explainPending(facts.id, `${judgement.reason ?? 'Pending'}: ${judgement.message}`);
      }
      return;
    case 'end': {
      const { outcome, reason, message } = judgement;
      await builds.endBuild(facts.id, facts.attempt, { outcome, reason, message, ...left });
      bell.ring('schedule', facts.pipelineId);
      break;
    }
    case 'recreate':
    case 'retry': {
      const reason = `${judgement.reason}: ${judgement.message}`;
      await builds.retryBuild(facts.id, facts.attempt, { reason, ...left });
      bell.ring('builds', 0);
      break;
    }
    default:
      return judgement satisfies never;
  }
  bell.ring('status', facts.pipelineId);
}

/** Everything it had to tell is recorded, or will never be. */
async function remove(pod: PodFacts | undefined, { cluster }: FollowBuildPorts): Promise<void> {
  if (pod === undefined || pod.deleting) return;
  const ended = pod.phase === 'Succeeded' || pod.phase === 'Failed';
  await cluster.deletePod(pod.namespace, pod.name, pod.uid, ended ? 0 : GRACE_SECONDS);
}

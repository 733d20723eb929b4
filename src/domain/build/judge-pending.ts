import type { BuildState } from './build-state.ts';
import type { OutcomeReason } from './events.ts';
import { judgeCache } from './judge-cache.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

/**
 * How long a Pod may be without a node. The timeout of the job does not limit this, because it begins with
 * the first step.
 */
const UNSCHEDULED_SECONDS = 60 * 60;
/** How long the containers of a Pod that has a node may take to start. */
const PENDING_SECONDS = 15 * 60;
/**
 * A working scheduler handles a new Pod within this time. Until then, a Pod without a node is not reported as
 * a problem.
 */
const SCHEDULER_SECONDS = 5;

/**
 * Decides what to do about the Pod of a build that has not started: wait, create the Pod again or end the
 * build.
 */
export function judgePending(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  if (state.status === 'started' || pod.deleting) return { decision: 'wait' };
  const cacheProblem = judgeCache(pod, attempt);
  if (cacheProblem !== undefined)
    return { decision: 'recreate', reason: 'CacheUnavailable', message: cacheProblem };
  if (!pod.scheduled) {
    if (pod.unschedulable === undefined && attempt.ageSeconds < SCHEDULER_SECONDS)
      return { decision: 'wait' };
    const message = pod.unschedulable ?? 'The scheduler has not seen the Pod yet.';
    return waitOrEnd('Unschedulable', message, attempt.ageSeconds > UNSCHEDULED_SECONDS);
  }
  return judgeContainers(pod.containers, startsTooLate(attempt));
}

/**
 * What to do about a Pod that has run no step, if an image cannot be pulled. Undefined: every container can
 * start, or the first one that cannot has another reason.
 */
export function judgeMissingImage(
  containers: ContainerReport[],
  attempt: AttemptReport,
): PodJudgement | undefined {
  const judgement = judgeContainers(containers, startsTooLate(attempt));
  return judgement.reason === 'ImagePullFailed' ? judgement : undefined;
}

/** Whether the Pod takes too long to start. The time that it waited for a node does not count. */
function startsTooLate({ ageSeconds, scheduledSeconds = ageSeconds }: AttemptReport): boolean {
  return scheduledSeconds > PENDING_SECONDS;
}

function judgeContainers(containers: ContainerReport[], isLate: boolean): PodJudgement {
  for (const container of containers) {
    const reason = startFailureReason(container);
    if (reason)
      return waitOrEnd(
        reason,
        startProblem(container),
        isLate || PERMANENT_FAILURES.has(container.reason ?? ''),
      );
  }
  const waiting = containers.find((container) => container.state === 'waiting');
  return isLate && waiting ? waitOrEnd('PodRefused', startProblem(waiting), true) : { decision: 'wait' };
}

function startProblem({ name, reason, message }: ContainerReport): string {
  const why = [reason, message].filter((part) => part !== undefined).join(': ');
  return `The container ${name} does not start: ${why || 'no reason is known'}`;
}

function waitOrEnd(reason: OutcomeReason, message: string, mustEnd: boolean): PodJudgement {
  if (mustEnd) return { decision: 'end', outcome: 'failed', reason, message };
  return { decision: 'wait', reason, message };
}

/**
 * The kubelet's reasons that do not go away by waiting: the name is invalid, or the pull policy of the
 * container is `Never`.
 */
const PERMANENT_FAILURES = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const PULL_FAILURES = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const CREATE_FAILURES = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PostStartHookError',
]);

/**
 * Why a waiting container does not start. Undefined: the container does not wait, or the kubelet reports no
 * failure.
 */
export function startFailureReason(container: ContainerReport): OutcomeReason | undefined {
  if (container.state !== 'waiting' || container.reason === undefined) return undefined;
  if (PULL_FAILURES.has(container.reason)) return 'ImagePullFailed';
  return CREATE_FAILURES.has(container.reason) ? 'PodRefused' : undefined;
}

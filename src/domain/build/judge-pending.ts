import type { BuildState } from './build-state.ts';
import type { OutcomeReason } from './events.ts';
import { judgeCache } from './judge-cache.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

/**
 * How long a Pod may be without a node, and then without a running container. The timeout of the job only
 * starts with its first step.
 */
const UNSCHEDULED_SECONDS = 60 * 60;
const PENDING_SECONDS = 15 * 60;
/** By then a working scheduler has seen the Pod; earlier there is nothing to report. */
const SCHEDULER_SECONDS = 5;

/** Why the Pod of a build is not running, and whether it may still start. */
export function judgePending(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  if (state.status === 'started' || pod.deleting) return { decision: 'wait' };
  const withoutCache = judgeCache(pod, attempt);
  if (withoutCache !== undefined)
    return { decision: 'recreate', reason: 'CacheUnavailable', message: withoutCache };
  if (!pod.scheduled) {
    if (pod.unschedulable === undefined && attempt.ageSeconds < SCHEDULER_SECONDS)
      return { decision: 'wait' };
    const message = pod.unschedulable ?? 'The scheduler has not seen the Pod yet.';
    return waitOrEnd('Unschedulable', message, attempt.ageSeconds > UNSCHEDULED_SECONDS);
  }
  return judgeContainers(pod.containers, isLate(attempt));
}

/** Whether an image that cannot be pulled stopped the Pod before its first step. */
export function judgeMissingImage(
  containers: ContainerReport[],
  attempt: AttemptReport,
): PodJudgement | undefined {
  const judgement = judgeContainers(containers, isLate(attempt));
  return judgement.reason === 'ImagePullFailed' ? judgement : undefined;
}

/** The wait for a node does not count. */
function isLate({ ageSeconds, scheduledSeconds = ageSeconds }: AttemptReport): boolean {
  return scheduledSeconds > PENDING_SECONDS;
}

function judgeContainers(containers: ContainerReport[], late: boolean): PodJudgement {
  for (const container of containers) {
    const reason = startFailureReason(container);
    if (reason) return waitOrEnd(reason, complaint(container), late || PERMANENT.has(container.reason ?? ''));
  }
  const waiting = containers.find((container) => container.state === 'waiting');
  return late && waiting ? waitOrEnd('PodRefused', complaint(waiting), true) : { decision: 'wait' };
}

function complaint({ name, reason, message }: ContainerReport): string {
  const why = [reason, message].filter((part) => part !== undefined).join(': ');
  return `The container ${name} does not start: ${why || 'no reason is known'}`;
}

function waitOrEnd(reason: OutcomeReason, message: string, over: boolean): PodJudgement {
  if (over) return { decision: 'end', outcome: 'failed', reason, message };
  return { decision: 'wait', reason, message };
}

/** Reasons that no retry can fix: the name is invalid, or pulling is forbidden. */
const PERMANENT = new Set(['InvalidImageName', 'ErrImageNeverPull']);
const PULL = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
  'ImageInspectError',
  'RegistryUnavailable',
  'SignatureValidationFailed',
]);
const CREATE = new Set([
  'CreateContainerConfigError',
  'CreateContainerError',
  'RunContainerError',
  'PreCreateHookError',
  'PostStartHookError',
]);

export function startFailureReason(container: ContainerReport): OutcomeReason | undefined {
  if (container.state !== 'waiting' || container.reason === undefined) return undefined;
  if (PULL.has(container.reason)) return 'ImagePullFailed';
  return CREATE.has(container.reason) ? 'PodRefused' : undefined;
}

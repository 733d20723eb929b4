import type { BuildState } from './build-state.ts';
import type { OutcomeReason } from './events.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

/**
 * Two clocks of a Pod that does not run yet: no node; a node, but no container. The job's own starts with its
 * first step.
 */
const UNSCHEDULED_SECONDS = 60 * 60;
const PENDING_SECONDS = 15 * 60;
/** A scheduler that is alive has looked at a Pod by then; before, there is nothing to tell. */
const SCHEDULER_SECONDS = 5;

/** Why the Pod of a build is not running, and whether there is still hope. */
export function judgePending(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  if (state.status === 'started' || pod.deleting) return { decision: 'wait' };
  if (!pod.scheduled) {
    if (pod.unschedulable === undefined && attempt.ageSeconds < SCHEDULER_SECONDS)
      return { decision: 'wait' };
    const message = pod.unschedulable ?? 'The scheduler has not looked at the Pod yet.';
    return patience('Unschedulable', message, attempt.ageSeconds > UNSCHEDULED_SECONDS);
  }
  return judgeContainers(pod.containers, isLate(attempt));
}

/** Whether an image that does not come is to blame for a Pod that came to no step. */
export function judgeMissingImage(
  containers: ContainerReport[],
  attempt: AttemptReport,
): PodJudgement | undefined {
  const judgement = judgeContainers(containers, isLate(attempt));
  return judgement.reason === 'ImagePullFailed' ? judgement : undefined;
}

/** The wait for a node has a clock of its own. */
function isLate({ ageSeconds, scheduledSeconds = ageSeconds }: AttemptReport): boolean {
  return scheduledSeconds > PENDING_SECONDS;
}

function judgeContainers(containers: ContainerReport[], late: boolean): PodJudgement {
  for (const container of containers) {
    const reason = problemOf(container);
    if (reason) return patience(reason, complaint(container), late || HOPELESS.has(container.reason ?? ''));
  }
  const waiting = containers.find((container) => container.state === 'waiting');
  return late && waiting ? patience('PodRefused', complaint(waiting), true) : { decision: 'wait' };
}

function complaint({ name, reason, message }: ContainerReport): string {
  const why = [reason, message].filter((part) => part !== undefined).join(': ');
  return `The container ${name} does not start: ${why || 'no reason is known'}`;
}

function patience(reason: OutcomeReason, message: string, over: boolean): PodJudgement {
  if (over) return { decision: 'end', outcome: 'failed', reason, message };
  return { decision: 'wait', reason, message };
}

/** No later try can differ: the name itself is wrong, or the image may not be pulled. */
const HOPELESS = new Set(['InvalidImageName', 'ErrImageNeverPull']);
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

export function problemOf(container: ContainerReport): OutcomeReason | undefined {
  if (container.state !== 'waiting' || container.reason === undefined) return undefined;
  if (PULL.has(container.reason)) return 'ImagePullFailed';
  return CREATE.has(container.reason) ? 'PodRefused' : undefined;
}

import { isActive } from '#domain/scheduling/build-changes.ts';
import type { BuildState } from './build-state.ts';
import type { OutcomeReason, TerminationMessage } from './events.ts';
import { judgeMissingImage, judgePending } from './judge-pending.ts';
import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault, type PodFault } from './pod-fault.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';
import { provesSuccess } from './settle-build.ts';
import { isPlanDecided } from './step-proof.ts';

/** A Pod that ends before its first step is replaced, until the build has had this number of attempts. */
const MAX_ATTEMPTS = 5;
/** How many more attempts a build may get after its steps have begun. */
const MAX_RETRIES = 1;
/** A deleted Pod that still exists this long after its grace period counts as lost. */
const LOST_SECONDS = 2 * 60;
/**
 * How long to wait, after the agent has ended, until the kubelet reports why it ended the Pod. The kubelet
 * reports this once all other containers have ended, and a container may hang.
 */
const REASON_SECONDS = 30;

/**
 * Whether a deleted Pod has been overdue for so long that its node must be dead. `overdueSeconds`: see
 * `AttemptReport`.
 */
export function isLost(overdueSeconds: number | undefined): boolean {
  return overdueSeconds !== undefined && overdueSeconds >= LOST_SECONDS;
}

/**
 * Decides what to do about a build whose Pod may have ended. `pod` undefined: the Pod does not exist any
 * more.
 */
export function judgePodEnd(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
): PodJudgement {
  if (!isActive(state.status)) return { decision: 'wait' };
  if (pod && !hasEnded(pod) && !isLost(attempt.overdueSeconds)) return judgeLiving(state, pod, attempt);
  if (pod && mayReportReason(pod, attempt)) return { decision: 'wait' };
  return judgeEnded(state, pod, attempt);
}

/**
 * Whether the kubelet may still report why the Pod ended. If the kubelet ends a Pod, such as in an eviction,
 * it reports the reason only when all containers have ended. No reason is expected if the Pod is being
 * deleted, or if the agent has explained its own end.
 */
function mayReportReason(
  { phase, deleting, containers: [agent] }: PodReport,
  { agentEndedSeconds = Infinity }: AttemptReport,
): boolean {
  if (deleting || phase !== 'Running' || agentEndedSeconds >= REASON_SECONDS) return false;
  const termination = parseTermination(agent?.message);
  return termination === undefined || termination.reason === 'PodLost';
}

function judgeLiving(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  return (
    judgeHanging(state, pod, attempt) ?? judgeBroken(state, pod, attempt) ?? judgePending(state, pod, attempt)
  );
}

/**
 * What to do if a container ended before the first step. Undefined: none did. The agent cannot see that the
 * container has ended, and would wait for it for a long time.
 */
function judgeBroken(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement | undefined {
  const broken = brokenContainer(pod);
  if (broken === undefined || pod.deleting || ranSteps(state, undefined)) return undefined;
  if (attempt.cancelled !== undefined) return judgeCancelled(attempt.cancelled);
  if (broken.reason === 'OOMKilled') return outOfMemory(broken.name);
  return judgeFault(state, attempt, {
    reason: 'AgentFault',
    message: brokenMessage(broken),
    ranSteps: false,
  });
}

function judgeEnded(state: BuildState, pod: PodReport | undefined, attempt: AttemptReport): PodJudgement {
  const termination = parseTermination(pod?.containers[0]?.message);
  if (termination && decidesOutcome(state, termination, pod)) {
    return {
      decision: 'end',
      outcome: termination.outcome,
      reason: termination.reason,
      message: termination.message,
    };
  }
  if (attempt.cancelled !== undefined) return judgeCancelled(attempt.cancelled);
  return judgeDeath(state, pod, attempt, termination);
}

/**
 * What to do if the agent has not ended a cancelled build in time. Undefined: it still has time, or the
 * cancel came too late to change how the plan ends. In that case the hooks of the plan run on, and only the
 * deadline of the Pod ends an agent that hangs.
 */
function judgeHanging(
  { steps }: BuildState,
  { deleting }: PodReport,
  { cancelled }: AttemptReport,
): PodJudgement | undefined {
  if (deleting || cancelled === undefined || !isGraceOver(cancelled) || isPlanDecided(steps))
    return undefined;
  const message = `The agent did not end the cancelled build within ${cancelled.graceSeconds} s: its Pod is deleted.`;
  return { decision: 'stop', reason: 'Cancelled', message };
}

type Cancelled = NonNullable<AttemptReport['cancelled']>;

function judgeCancelled(cancelled: Cancelled): PodJudgement {
  const { reason = 'The build was cancelled.', graceSeconds } = cancelled;
  const explanation = isGraceOver(cancelled)
    ? `Its agent did not end it within ${graceSeconds} s, and its Pod is gone.`
    : 'Its Pod is gone.';
  return { decision: 'end', outcome: 'cancelled', reason: 'Cancelled', message: `${reason} ${explanation}` };
}

/** Whether the agent has had all the time that it may take to end a cancelled build. */
function isGraceOver({ seconds, graceSeconds }: Cancelled): boolean {
  return seconds >= graceSeconds;
}

/**
 * What to do if the Pod has ended although its agent did not end the build and nothing cancelled the build.
 */
function judgeDeath(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
  termination: TerminationMessage | undefined,
): PodJudgement {
  const container = outOfMemoryContainer(pod);
  if (container !== undefined) return outOfMemory(container);
  const fault = { ...podFault(pod, termination), ranSteps: ranSteps(state, termination) };
  return judgeImages(pod?.containers ?? [], attempt, fault) ?? judgeFault(state, attempt, fault);
}

/**
 * What to do if an image could not be pulled. Undefined: that is not why the Pod ended. The agent gave up
 * waiting for the container of the image, so its fault hides the cause.
 */
function judgeImages(
  [, ...others]: ContainerReport[],
  attempt: AttemptReport,
  fault: Fault,
): PodJudgement | undefined {
  if (fault.ranSteps || fault.reason !== 'AgentFault') return undefined;
  const { decision, reason, message } = judgeMissingImage(others, attempt) ?? {};
  if (reason === undefined || message === undefined) return undefined;
  const mayRecreate = decision === 'wait' && attempt.attempt < MAX_ATTEMPTS;
  return mayRecreate ? { decision: 'recreate', reason, message } : end(reason, message);
}

/**
 * The name of a step container that ran out of memory. The container of the agent does not count: an agent
 * that ran out of memory is treated like any other fault of an agent.
 */
function outOfMemoryContainer(pod: PodReport | undefined): string | undefined {
  return pod?.containers.slice(1).find((container) => container.reason === 'OOMKilled')?.name;
}

/**
 * Whether the agent's termination message decides how the build ended. A success counts only if every step is
 * proven to have succeeded. If the agent could not explain a fault, or if its session was refused because the
 * Pod was ending, the report about the Pod decides instead.
 */
function decidesOutcome(
  state: BuildState,
  termination: TerminationMessage,
  pod: PodReport | undefined,
): boolean {
  const { outcome, reason } = termination;
  if (outcome === 'succeeded') return provesSuccess(state, termination);
  if (outcome === 'cancelled') return reason === 'Cancelled';
  if (reason === 'AgentAuthentication') return podFault(pod, undefined).reason === 'AgentFault';
  return ['StepFailed', 'StepTimeout', 'JobTimeout', 'ServiceFailed', 'OutOfMemory'].includes(reason);
}

interface Fault extends PodFault {
  ranSteps: boolean;
}

function judgeFault(state: BuildState, attempt: AttemptReport, fault: Fault): PodJudgement {
  const { reason, message, ranSteps: hasRunSteps } = fault;
  if (!hasRunSteps) {
    if (attempt.attempt < MAX_ATTEMPTS) return { decision: 'recreate', reason, message };
    return end(
      reason,
      `${message} This was Pod ${attempt.attempt} of the build; none reached its first step.`,
    );
  }
  if (reason === 'JobTimeout') return end(reason, message);
  const put = state.steps.find(
    (step) => step.kind === 'put' && !['waiting', 'skipped'].includes(step.status),
  );
  if (put)
    return end(reason, `${message} The put ${put.name} had started, so the build gets no other attempt.`);
  if (attempt.disableRetry)
    return end(reason, `${message} The job has disable_retry = true, so the build gets no other attempt.`);
  if (attempt.retries >= MAX_RETRIES)
    return end(reason, `${message} The build has already had a second attempt.`);
  return { decision: 'retry', reason, message };
}

function outOfMemory(container: string): PodJudgement {
  return end('OutOfMemory', `The container ${container} used more memory than it may.`);
}

function end(reason: OutcomeReason, message: string): PodJudgement {
  return { decision: 'end', outcome: 'failed', reason, message };
}

/** Whether a step has run, according to the events or to the termination message. */
function ranSteps(state: BuildState, termination: TerminationMessage | undefined): boolean {
  const reported = termination !== undefined && Object.keys(termination.exits).length > 0;
  return reported || state.steps.some((step) => step.status !== 'waiting' && step.status !== 'skipped');
}

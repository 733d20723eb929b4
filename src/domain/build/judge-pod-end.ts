import { isActive } from '#domain/scheduling/build-changes.ts';
import type { BuildState } from './build-state.ts';
import type { OutcomeReason, TerminationMessage } from './events.ts';
import { judgeMissingImage, judgePending } from './judge-pending.ts';
import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault, type PodFault } from './pod-fault.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';
import { provesSuccess } from './settle-build.ts';

/** Pods of a build that end before their first step are replaced, so many in all. */
const MAX_ATTEMPTS = 5;
const MAX_RETRIES = 1;
const LOST_SECONDS = 2 * 60;
/** The kubelet kills the containers of a Pod that it ends. One that hangs longer is not waited for. */
const REASON_SECONDS = 30;

/** Whether a deleted Pod is overdue for so long that its node must be dead. */
export function isLost(overdueSeconds: number | undefined): boolean {
  return overdueSeconds !== undefined && overdueSeconds >= LOST_SECONDS;
}

/** What to do about a build whose Pod may have ended. `pod` undefined: it is gone. */
export function judgePodEnd(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
): PodJudgement {
  if (!isActive(state.status)) return { decision: 'wait' };
  if (pod && !hasEnded(pod) && !isLost(attempt.overdueSeconds)) return judgeLiving(state, pod, attempt);
  if (pod && mayGetReason(pod, attempt)) return { decision: 'wait' };
  return judgeEnded(state, pod, attempt);
}

/**
 * The agent ended without an explanation, in a Pod that nobody deletes. If the kubelet ends the Pod, such as for
 * an eviction, it says why only when every container has ended.
 */
function mayGetReason(
  { phase, deleting, containers: [agent] }: PodReport,
  { agentEndedSeconds = Infinity }: AttemptReport,
): boolean {
  if (deleting || phase !== 'Running' || agentEndedSeconds >= REASON_SECONDS) return false;
  const termination = parseTermination(agent?.message);
  return termination === undefined || termination.reason === 'PodLost';
}

function judgeLiving(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  return judgeHanging(pod, attempt) ?? judgeBroken(state, pod, attempt) ?? judgePending(state, pod, attempt);
}

/**
 * A container that died before the first step. The agent would wait long for it, since it cannot see that it
 * died.
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
  if (termination && knowsTheEnd(state, termination, pod)) {
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

/** The agent has not ended a cancelled build in time. */
function judgeHanging({ deleting }: PodReport, { cancelled }: AttemptReport): PodJudgement | undefined {
  if (deleting || cancelled === undefined || !isOverdue(cancelled)) return undefined;
  const message = `The agent did not end the cancelled build within ${cancelled.graceSeconds} s: its Pod is deleted.`;
  return { decision: 'stop', reason: 'Cancelled', message };
}

type Cancelled = NonNullable<AttemptReport['cancelled']>;

function judgeCancelled(cancelled: Cancelled): PodJudgement {
  const { reason = 'The build was cancelled.', graceSeconds } = cancelled;
  const how = isOverdue(cancelled)
    ? `Its agent did not end it within ${graceSeconds} s, and its Pod is gone.`
    : 'Its Pod is gone.';
  return { decision: 'end', outcome: 'cancelled', reason: 'Cancelled', message: `${reason} ${how}` };
}

function isOverdue({ seconds, graceSeconds }: Cancelled): boolean {
  return seconds >= graceSeconds;
}

/** The Pod ended although neither its agent nor a person ended the build. */
function judgeDeath(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
  termination: TerminationMessage | undefined,
): PodJudgement {
  const exhausted = outOfMemoryContainer(pod);
  if (exhausted !== undefined) return outOfMemory(exhausted);
  const fault = { ...podFault(pod, termination), ranSteps: ranSteps(state, termination) };
  return judgeImages(pod?.containers ?? [], attempt, fault) ?? judgeFault(state, attempt, fault);
}

/** If an image could not be pulled, the agent that gave up waiting for its container is not at fault. */
function judgeImages(
  [, ...others]: ContainerReport[],
  attempt: AttemptReport,
  fault: Fault,
): PodJudgement | undefined {
  if (fault.ranSteps || fault.reason !== 'AgentFault') return undefined;
  const { decision, reason, message } = judgeMissingImage(others, attempt) ?? {};
  if (reason === undefined || message === undefined) return undefined;
  const again = decision === 'wait' && attempt.attempt < MAX_ATTEMPTS;
  return again ? { decision: 'recreate', reason, message } : end(reason, message);
}

/** A step container that ran out of memory. An agent that did is judged as any other fault of it. */
function outOfMemoryContainer(pod: PodReport | undefined): string | undefined {
  return pod?.containers.slice(1).find((container) => container.reason === 'OOMKilled')?.name;
}

/**
 * Whether the termination message decides how the build ended. Success needs the end of every step. The Pod
 * decides about a fault that the agent could not explain, and about a refused session of a Pod that was
 * ending.
 */
function knowsTheEnd(
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
  const { reason, message, ranSteps: ran } = fault;
  if (!ran) {
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
  if (put) return end(reason, `${message} The put ${put.name} had started, so the build is not repeated.`);
  if (attempt.disableRetry)
    return end(reason, `${message} The job has disable_retry = true, so the build is not repeated.`);
  if (attempt.retries >= MAX_RETRIES) return end(reason, `${message} It had been repeated once already.`);
  return { decision: 'retry', reason, message };
}

function outOfMemory(container: string): PodJudgement {
  return end('OutOfMemory', `The container ${container} used more memory than it may.`);
}

function end(reason: OutcomeReason, message: string): PodJudgement {
  return { decision: 'end', outcome: 'failed', reason, message };
}

function ranSteps(state: BuildState, termination: TerminationMessage | undefined): boolean {
  const reported = termination !== undefined && Object.keys(termination.exits).length > 0;
  return reported || state.steps.some((step) => step.status !== 'waiting' && step.status !== 'skipped');
}

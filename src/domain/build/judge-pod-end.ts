import { isOver } from './apply-events.ts';
import type { BuildState, StepState } from './build-state.ts';
import type { OutcomeReason, TerminationMessage } from './events.ts';
import { judgeMissingImage, judgePending } from './judge-pending.ts';
import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault, type PodFault } from './pod-fault.ts';
import type { AttemptReport, ContainerReport, PodJudgement, PodReport } from './pod-report.ts';

/** Pods that go before their first step are replaced; not for ever. */
const MOST_ATTEMPTS = 5;
const MOST_RETRIES = 1;
const LOST_SECONDS = 2 * 60;

/** Whether a deleted Pod is so long overdue that nobody on its node can be left to end it. */
export function isLost(overdueSeconds: number | undefined): boolean {
  return overdueSeconds !== undefined && overdueSeconds >= LOST_SECONDS;
}

/** `pod` undefined: there is none any more. */
export function judgePodEnd(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
): PodJudgement {
  if (isOver(state.status)) return { decision: 'wait' };
  if (pod && !hasEnded(pod) && !isLost(attempt.overdueSeconds)) return judgeLiving(state, pod, attempt);
  return judgeEnded(state, pod, attempt);
}

function judgeLiving(state: BuildState, pod: PodReport, attempt: AttemptReport): PodJudgement {
  return judgeHanging(pod, attempt) ?? judgeBroken(state, pod, attempt) ?? judgePending(state, pod, attempt);
}

/**
 * Before the first step the agent waits long for a container that died: it cannot see why there is no word
 * from it.
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
  const words = parseTermination(pod?.containers[0]?.message);
  if (words && knowsTheEnd(state, words, pod)) {
    return { decision: 'end', outcome: words.outcome, reason: words.reason, message: words.message };
  }
  if (attempt.cancelled !== undefined) return judgeCancelled(attempt.cancelled);
  return judgeDeath(state, pod, attempt, words);
}

/** An agent that does not do what it was asked for, or never heard of it. */
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

/** Nobody said, and nobody wished, that the build should end so. */
function judgeDeath(
  state: BuildState,
  pod: PodReport | undefined,
  attempt: AttemptReport,
  words: TerminationMessage | undefined,
): PodJudgement {
  const starved = starvedContainer(pod);
  if (starved !== undefined) return outOfMemory(starved);
  const fault = { ...podFault(pod, words), ranSteps: ranSteps(state, words) };
  return judgeImages(pod?.containers ?? [], attempt, fault) ?? judgeFault(state, attempt, fault);
}

/** An agent that gave up before its first step because an image did not come is not at fault. */
function judgeImages(
  [, ...others]: ContainerReport[],
  attempt: AttemptReport,
  fault: Fault,
): PodJudgement | undefined {
  if (fault.ranSteps || fault.reason !== 'AgentFault') return undefined;
  const { decision, reason, message } = judgeMissingImage(others, attempt) ?? {};
  if (reason === undefined || message === undefined) return undefined;
  const again = decision === 'wait' && attempt.attempt < MOST_ATTEMPTS;
  return again ? { decision: 'recreate', reason, message } : end(reason, message);
}

/** Of the step containers only: a starved agent is a fault like any other of its. */
function starvedContainer(pod: PodReport | undefined): string | undefined {
  return pod?.containers.slice(1).find((container) => container.reason === 'OOMKilled')?.name;
}

/**
 * Whether the agent's last words settle the matter. Success needs the end of every step; a fault that the
 * agent could not explain is judged by the Pod, and so is a refusal in a Pod that was ending: agents of such
 * Pods get no session.
 */
function knowsTheEnd(state: BuildState, words: TerminationMessage, pod: PodReport | undefined): boolean {
  const { outcome, reason } = words;
  if (outcome === 'succeeded') return state.steps.every((step) => isProven(step, words));
  if (outcome === 'cancelled') return reason === 'Cancelled';
  if (reason === 'AgentAuthentication') return podFault(pod, undefined).reason === 'AgentFault';
  return ['StepFailed', 'JobTimeout', 'OutOfMemory'].includes(reason);
}

function isProven({ id, status }: StepState, { exits, statuses }: TerminationMessage): boolean {
  return status === 'succeeded' || (exits[id] === 0 && statuses?.[id] === undefined);
}

interface Fault extends PodFault {
  ranSteps: boolean;
}

function judgeFault(state: BuildState, attempt: AttemptReport, fault: Fault): PodJudgement {
  const { reason, message, ranSteps: ran } = fault;
  if (!ran) {
    if (attempt.attempt < MOST_ATTEMPTS) return { decision: 'recreate', reason, message };
    return end(
      reason,
      `${message} This was Pod ${attempt.attempt} of the build; none came to its first step.`,
    );
  }
  if (reason === 'JobTimeout') return end(reason, message);
  const put = state.steps.find(
    (step) => step.kind === 'put' && !['waiting', 'skipped'].includes(step.status),
  );
  if (put) return end(reason, `${message} The put ${put.name} had begun, so the build is not repeated.`);
  if (attempt.disableRetry)
    return end(reason, `${message} The job has disable_retry = true, so the build is not repeated.`);
  if (attempt.retries >= MOST_RETRIES) return end(reason, `${message} It had been repeated once already.`);
  return { decision: 'retry', reason, message };
}

function outOfMemory(container: string): PodJudgement {
  return end('OutOfMemory', `The container ${container} used more memory than it may.`);
}

function end(reason: OutcomeReason, message: string): PodJudgement {
  return { decision: 'end', outcome: 'failed', reason, message };
}

function ranSteps(state: BuildState, words: TerminationMessage | undefined): boolean {
  const told = words !== undefined && Object.keys(words.exits).length > 0;
  return told || state.steps.some((step) => step.status !== 'waiting' && step.status !== 'skipped');
}

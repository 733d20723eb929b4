import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault } from './pod-fault.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const MAX_QUOTED_CHARACTERS = 500;
/** States of a Pod that is still being created: not a failure. */
const CREATING = new Set(['ContainerCreating', 'PodInitializing']);

/**
 * Why the Pod of a check or of hooks gave no result, as a sentence. A container that cannot start comes
 * first: the agent that waited for it has ended by then, but does not know the cause.
 */
export function explainCheckFailure(
  pod: PodReport | undefined,
  work: 'check' | 'hooks' | 'notifications' = 'check',
): string {
  if (pod === undefined) return `The Pod of the ${work} is gone.`;
  const stuck = pod.containers.find(isStuck);
  if (stuck !== undefined) return `The Pod of the ${work} did not start: ${waitingReason(stuck)}`;
  const broken = brokenContainer(pod);
  if (broken !== undefined)
    return `The Pod of the ${work} failed: ${brokenMessage(broken, `the ${work} had a result`)}`;
  if (!hasEnded(pod)) return explainLateAgent(pod, work);
  const { message } = podFault(pod, parseTermination(pod.containers[0]?.message));
  return `The Pod of the ${work} ended before the ${work} had a result: ${sentence(message)}`;
}

function isStuck({ state, reason }: ContainerReport): boolean {
  return state === 'waiting' && reason !== undefined && !CREATING.has(reason);
}

/** The Pod exists, but its agent has not connected in time. */
function explainLateAgent({ scheduled, unschedulable, containers }: PodReport, work: string): string {
  const why = `The Pod of the ${work} did not start: `;
  if (unschedulable !== undefined) return why + sentence(`no node can take it: ${unschedulable}`);
  if (!scheduled) return `${why}the scheduler has not seen it.`;
  const waiting = containers.find((container) => container.state === 'waiting');
  if (waiting !== undefined) return why + waitingReason(waiting);
  return `The Pod of the ${work} runs, but its agent did not reach the internal gateway in time.`;
}

function waitingReason({ name, reason = 'it waits', message }: ContainerReport): string {
  const explanation = message === undefined ? '' : ` (${short(message)})`;
  return `container ${name}: ${reason}${explanation}.`;
}

function sentence(text: string): string {
  const words = short(text);
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

function short(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS
    ? `${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…`
    : text;
}

import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault } from './pod-fault.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const MAX_QUOTED_CHARACTERS = 500;
/** Reasons for which a container of a new Pod waits although nothing has failed. */
const CREATING = new Set(['ContainerCreating', 'PodInitializing']);

/**
 * Why the Pod of a check, of hooks or of notifications gave no result, as a sentence. `pod` undefined: it
 * does not exist. A container that cannot start is reported first: the agent waited for this container and
 * has ended, but does not know why it did not start.
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
  return `The Pod of the ${work} ended before the ${work} had a result: ${asSentence(message)}`;
}

function isStuck({ state, reason }: ContainerReport): boolean {
  return state === 'waiting' && reason !== undefined && !CREATING.has(reason);
}

/** Explains a Pod that exists, but whose agent has not connected in time. */
function explainLateAgent({ scheduled, unschedulable, containers }: PodReport, work: string): string {
  const prefix = `The Pod of the ${work} did not start: `;
  if (unschedulable !== undefined) return prefix + asSentence(`no node can take it: ${unschedulable}`);
  if (!scheduled) return `${prefix}the scheduler has not seen it.`;
  const waiting = containers.find((container) => container.state === 'waiting');
  if (waiting !== undefined) return prefix + waitingReason(waiting);
  return `The Pod of the ${work} runs, but its agent did not reach the internal gateway in time.`;
}

function waitingReason({ name, reason = 'it waits', message }: ContainerReport): string {
  const explanation = message === undefined ? '' : ` (${shorten(message)})`;
  return `container ${name}: ${reason}${explanation}.`;
}

function asSentence(text: string): string {
  const words = shorten(text);
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

function shorten(text: string): string {
  return text.length > MAX_QUOTED_CHARACTERS
    ? `${text.slice(0, MAX_QUOTED_CHARACTERS).toWellFormed()}…`
    : text;
}

import { parseTermination } from './parse-termination.ts';
import { brokenContainer, brokenMessage, hasEnded, podFault } from './pod-fault.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

const LONGEST_WORDS = 500;
/** While a Pod is being made its containers wait for nothing that would be worth telling. */
const ON_THE_WAY = new Set(['ContainerCreating', 'PodInitializing']);

/**
 * Why the Pod of a check, or of hooks, brought no result, as a sentence. A container that cannot start comes
 * first: an agent that waited for it in vain has ended by then, and knows only that it did not come.
 */
export function tellCheckEnd(pod: PodReport | undefined, work: 'check' | 'hooks' = 'check'): string {
  if (pod === undefined) return `The Pod of the ${work} is gone.`;
  const stuck = pod.containers.find(isStuck);
  if (stuck !== undefined) return `The Pod of the ${work} did not start: ${complaint(stuck)}`;
  const broken = brokenContainer(pod);
  if (broken !== undefined)
    return `The Pod of the ${work} broke: ${brokenMessage(broken, `the ${work} had a result`)}`;
  if (!hasEnded(pod)) return tellLate(pod, work);
  const { message } = podFault(pod, parseTermination(pod.containers[0]?.message));
  return `The Pod of the ${work} ended before the ${work} had a result: ${sentence(message)}`;
}

function isStuck({ state, reason }: ContainerReport): boolean {
  return state === 'waiting' && reason !== undefined && !ON_THE_WAY.has(reason);
}

/** It is there, and no agent has come from it in the time that one is given. */
function tellLate({ scheduled, unschedulable, containers }: PodReport, work: string): string {
  const why = `The Pod of the ${work} did not start: `;
  if (unschedulable !== undefined) return why + sentence(`no node takes it: ${unschedulable}`);
  if (!scheduled) return `${why}the scheduler has not looked at it.`;
  const waiting = containers.find((container) => container.state === 'waiting');
  if (waiting !== undefined) return why + complaint(waiting);
  return `The Pod of the ${work} runs, but its agent did not reach the internal gateway in time.`;
}

function complaint({ name, reason = 'it waits', message }: ContainerReport): string {
  const said = message === undefined ? '' : ` (${short(message)})`;
  return `container ${name}: ${reason}${said}.`;
}

function sentence(text: string): string {
  const words = short(text);
  return /[.!?…]$/.test(words) ? words : `${words}.`;
}

function short(text: string): string {
  return text.length > LONGEST_WORDS ? `${text.slice(0, LONGEST_WORDS).toWellFormed()}…` : text;
}

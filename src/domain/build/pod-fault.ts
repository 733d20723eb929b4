import type { OutcomeReason, TerminationMessage } from './events.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

/** Why a Pod ended unexpectedly: a code and a sentence. */
export interface PodFault {
  reason: OutcomeReason;
  message: string;
}

/** Whether the Pod has ended. It counts as ended once its agent has ended, even if other containers hang. */
export function hasEnded(pod: PodReport): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed' || pod.containers[0]?.state === 'terminated';
}

/**
 * A step container that has ended although the agent still runs and did not end it. Process 1 of a step
 * container is the shim, which exits with 0 only when the agent ends it. After any other exit, no step can
 * run in the container. Undefined: there is no such container, or the agent has ended.
 */
export function brokenContainer<Container extends ContainerReport>({
  containers,
}: {
  containers: Container[];
}): Container | undefined {
  const [agent, ...others] = containers;
  if (agent?.state === 'terminated') return undefined;
  return others.find(({ state, exitCode }) => state === 'terminated' && exitCode !== 0);
}

/** A sentence that says how the container ended. `before`: what should have happened first. */
export function brokenMessage(
  { name, exitCode, reason, message }: ContainerReport,
  before = 'its first step',
): string {
  const details = [`exit code ${exitCode ?? 'unknown'}`];
  // The reason `Error` says no more than the exit code.
  if (reason !== undefined && reason !== 'Error')
    details.push(message === undefined ? reason : `${reason}: ${message}`);
  return `The container ${name} ended before ${before} (${details.join(', ')}).`;
}

/**
 * Why a Pod ended unexpectedly, as far as this is known. `pod` undefined: the Pod does not exist any more.
 */
export function podFault(pod: PodReport | undefined, termination: TerminationMessage | undefined): PodFault {
  if (!pod) return { reason: 'PodLost', message: 'The Pod is gone.' };
  const reported = clusterFault(pod);
  if (reported) return reported;
  if (termination?.reason === 'PodLost' || pod.deleting)
    return { reason: 'PodLost', message: 'The Pod was deleted.' };
  if (termination?.message) return { reason: 'AgentFault', message: termination.message };
  return unreportedFault(pod);
}

/** The fault if neither the cluster nor the agent reported one. */
function unreportedFault(pod: PodReport): PodFault {
  const agent = pod.containers[0];
  if (agent?.state === 'terminated') return agentFault(agent);
  return { reason: 'PodLost', message: `The Pod ended: ${pod.reason ?? pod.phase}${messageSuffix(pod)}.` };
}

/** The fault that the cluster reports, such as an eviction. Undefined: it reports none. */
function clusterFault(pod: PodReport): PodFault | undefined {
  const reason = pod.disruption ?? pod.reason ?? '';
  if (pod.disruption !== undefined || pod.reason === 'Evicted') {
    return { reason: 'PodEvicted', message: `The Pod was evicted: ${reason}${messageSuffix(pod)}.` };
  }
  if (pod.reason === 'DeadlineExceeded') {
    return { reason: 'JobTimeout', message: `The Pod reached its deadline${messageSuffix(pod)}.` };
  }
  if (!REFUSALS.has(reason)) return undefined;
  return { reason: 'PodRefused', message: `The node refused the Pod: ${reason}${messageSuffix(pod)}.` };
}

function agentFault(agent: ContainerReport): PodFault {
  const cause = agent.reason === 'OOMKilled' ? 'out of memory' : `exit code ${agent.exitCode ?? 'unknown'}`;
  return { reason: 'AgentFault', message: `The agent ended without a report (${cause}).` };
}

function messageSuffix(pod: PodReport): string {
  return pod.message === undefined ? '' : ` (${pod.message})`;
}

/** Reasons for which a kubelet refuses a Pod that the scheduler assigned to its node. */
const REFUSALS = new Set([
  'UnexpectedAdmissionError',
  'NodeAffinity',
  'NodeShutdown',
  'Terminated',
  'OutOfcpu',
  'OutOfmemory',
  'OutOfpods',
  'OutOfephemeral-storage',
  'TopologyAffinityError',
]);

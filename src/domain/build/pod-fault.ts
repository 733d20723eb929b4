import type { OutcomeReason, TerminationMessage } from './events.ts';
import type { ContainerReport, PodReport } from './pod-report.ts';

export interface PodFault {
  reason: OutcomeReason;
  message: string;
}

/** A Pod has ended with its agent, even if other containers hang. */
export function hasEnded(pod: PodReport): boolean {
  return pod.phase === 'Succeeded' || pod.phase === 'Failed' || pod.containers[0]?.state === 'terminated';
}

/**
 * A step container that died while the agent lives. Its process 1 is the shim, which exits with 0 when the
 * agent ends it. After any other exit no step can run there.
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

export function brokenMessage(
  { name, exitCode, reason, message }: ContainerReport,
  before = 'its first step',
): string {
  const why = reason === undefined || reason === 'Error' ? [] : [reason, message ?? []].flat();
  const how = [`exit code ${exitCode ?? 'unknown'}`, ...(why.length === 0 ? [] : [why.join(': ')])];
  return `The container ${name} ended before ${before} (${how.join(', ')}).`;
}

/** Why a Pod ended unexpectedly, as far as known. `pod` undefined: it is gone. */
export function podFault(pod: PodReport | undefined, termination: TerminationMessage | undefined): PodFault {
  if (!pod) return { reason: 'PodLost', message: 'The Pod is gone.' };
  const outside = outsideFault(pod);
  if (outside) return outside;
  if (termination?.reason === 'PodLost' || pod.deleting)
    return { reason: 'PodLost', message: 'The Pod was deleted.' };
  if (termination?.message) return { reason: 'AgentFault', message: termination.message };
  return silentEnd(pod);
}

function silentEnd(pod: PodReport): PodFault {
  const agent = pod.containers[0];
  if (agent?.state === 'terminated') return agentFault(agent);
  return { reason: 'PodLost', message: `The Pod ended: ${pod.reason ?? pod.phase}${said(pod)}.` };
}

/** A cause that the cluster reports. */
function outsideFault(pod: PodReport): PodFault | undefined {
  const why = pod.disruption ?? pod.reason ?? '';
  if (pod.disruption !== undefined || pod.reason === 'Evicted') {
    return { reason: 'PodEvicted', message: `The Pod was evicted: ${why}${said(pod)}.` };
  }
  if (pod.reason === 'DeadlineExceeded') {
    return { reason: 'JobTimeout', message: `The Pod reached its deadline${said(pod)}.` };
  }
  if (!REFUSALS.has(why)) return undefined;
  return { reason: 'PodRefused', message: `The node refused the Pod: ${why}${said(pod)}.` };
}

function agentFault(agent: ContainerReport): PodFault {
  const how = agent.reason === 'OOMKilled' ? 'out of memory' : `exit code ${agent.exitCode ?? 'unknown'}`;
  return { reason: 'AgentFault', message: `The agent ended without a report (${how}).` };
}

function said(pod: PodReport): string {
  return pod.message === undefined ? '' : ` (${pod.message})`;
}

/** Reasons of a kubelet not to run a Pod that the scheduler assigned to its node. */
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

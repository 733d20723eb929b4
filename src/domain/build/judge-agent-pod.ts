import type { AgentSession } from './agent-session.ts';

/** What the API server reports about a Pod. */
export interface AgentPod {
  uid: string;
  labels: Record<string, string>;
  /** The Pod is being deleted or has ended. */
  ending: boolean;
  /** IP addresses of the Pod. Empty until the kubelet reports them. */
  addresses: string[];
}

/** Who wants to open a session, according to the connection and the request. `uid`: UID of the Pod. */
export interface AgentClaim {
  session: AgentSession;
  uid: string;
  /**
   * Remote IP address of the connection. Absent: a service-account token has proven that the caller runs in
   * the Pod.
   */
  peer?: string;
}

export type AgentJudgement =
  | { verdict: 'accepted' }
  /** Everything matches, but the Pod has no address yet, so the caller's address cannot be checked. */
  | { verdict: 'wait' }
  | { verdict: 'refused'; reason: string };

/** Whether the caller is the agent in the Pod that was created for this work. */
export function judgeAgentPod(claim: AgentClaim, pod: AgentPod | undefined): AgentJudgement {
  if (pod === undefined) return refused('there is no such Pod');
  if (pod.uid !== claim.uid) return refused('the Pod of that name has another uid');
  if (pod.ending) return refused('the Pod is ending');
  const label = wrongLabel(claim.session, pod.labels);
  if (label !== undefined) return refused(`the Pod's label ${label} does not belong to this work`);
  if (claim.peer === undefined) return { verdict: 'accepted' };
  if (pod.addresses.length === 0) return { verdict: 'wait' };
  const peer = plainAddress(claim.peer);
  if (pod.addresses.every((address) => plainAddress(address) !== peer)) {
    return refused(`the connection comes from ${peer}, the Pod has ${pod.addresses.join(', ')}`);
  }
  return { verdict: 'accepted' };
}

function refused(reason: string): AgentJudgement {
  return { verdict: 'refused', reason };
}

/** The first label of the Pod that does not belong to the work. Undefined: all labels are right. */
function wrongLabel(session: AgentSession, labels: Record<string, string>): string | undefined {
  const expected = workLabels(session);
  return Object.keys(expected).find((name) => labels[name] !== expected[name]);
}

/** Labels that the Pod of this work must have. */
export function workLabels(session: AgentSession): Record<string, string> {
  const managed = { 'app.kubernetes.io/managed-by': 'millrace' };
  if (session.kind === 'warm') {
    return { ...managed, 'millrace.dev/kind': 'warm', 'millrace.dev/warm-pod': String(session.warm) };
  }
  if (session.kind === 'checks') {
    return { ...managed, 'millrace.dev/kind': 'check', 'millrace.dev/run': String(session.run) };
  }
  return {
    ...managed,
    'millrace.dev/kind': 'build',
    'millrace.dev/build-id': String(session.build),
    'millrace.dev/attempt': String(session.attempt),
  };
}

/** The address in lower case, without the prefix that IPv4 addresses have on a dual-stack socket. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

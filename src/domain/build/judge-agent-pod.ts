import type { AgentSession } from './agent-session.ts';

/** What the API server says of a Pod, as far as it matters here. */
export interface AgentPod {
  uid: string;
  labels: Record<string, string>;
  /** Deletion was asked for, or the Pod has ended. */
  ending: boolean;
  /** Empty until the kubelet has reported them. */
  addresses: string[];
}

/** Who opens a session, as the connection and the request tell it. */
export interface Claim {
  session: AgentSession;
  uid: string;
  /**
   * Address of the other end of the connection. Absent: a token has proven already that the caller runs in
   * that Pod.
   */
  peer?: string;
}

export type Judgement =
  | { verdict: 'accepted' }
  /** Everything fits so far, but the Pod has no address yet. */
  | { verdict: 'wait' }
  | { verdict: 'refused'; reason: string };

/** Whether the one who connects is the agent in the Pod that was made for this work. */
export function judgeAgentPod(claim: Claim, pod: AgentPod | undefined): Judgement {
  if (pod === undefined) return refused('there is no such Pod');
  if (pod.uid !== claim.uid) return refused('the Pod of that name has another uid');
  if (pod.ending) return refused('the Pod is ending');
  const wrong = wrongLabel(claim.session, pod.labels);
  if (wrong !== undefined) return refused(`the Pod's label ${wrong} does not belong to this work`);
  if (claim.peer === undefined) return { verdict: 'accepted' };
  if (pod.addresses.length === 0) return { verdict: 'wait' };
  const peer = plainAddress(claim.peer);
  if (pod.addresses.every((address) => plainAddress(address) !== peer)) {
    return refused(`the connection comes from ${peer}, the Pod has ${pod.addresses.join(', ')}`);
  }
  return { verdict: 'accepted' };
}

function refused(reason: string): Judgement {
  return { verdict: 'refused', reason };
}

function wrongLabel(session: AgentSession, labels: Record<string, string>): string | undefined {
  const expected = labelsOf(session);
  return Object.keys(expected).find((name) => labels[name] !== expected[name]);
}

/** Labels that a Pod made for this work must carry. */
export function labelsOf(session: AgentSession): Record<string, string> {
  const managed = { 'app.kubernetes.io/managed-by': 'millrace' };
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

/** An IPv4 address on a dual-stack socket is an IPv4 address. */
function plainAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

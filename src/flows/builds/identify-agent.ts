import type { SessionRequest } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import { judgeAgentPod, type AgentJudgement, type AgentPod } from '#domain/build/judge-agent-pod.ts';
import type { AddressWait, AgentCredentials, AgentPods, Unavailable } from './session-ports.ts';

export type Identified =
  | { verdict: 'known'; session: AgentSession }
  /** A Pod of a CronJob: which run it gets depends on the checks that are due now. */
  | { verdict: 'group'; pipelineId: number; group: string }
  /** The reason is for the log only. */
  | { verdict: 'refused'; reason: string }
  | { verdict: 'not-yet'; reason: string };

export interface IdentifyPorts {
  pods: Pick<AgentPods, 'find' | 'ofToken'>;
  credentials: Pick<AgentCredentials, 'workOf'>;
  waiting: AddressWait;
}

/** Called when everything matches except the Pod's address, which its status does not show yet. */
type OnAwaitingAddress = () => void;

const MAX_WAIT_MS = 10_000;
const FIRST_PAUSE_MS = 10;
const PAUSE_STEP_MS = 5;
const MAX_PAUSE_MS = 50;

/**
 * Identifies the caller that opens a session (docs/adr/0004-agent-session.md). `peer`: IP address of the
 * caller.
 */
export async function identifyAgent(
  request: SessionRequest,
  peer: string,
  ports: IdentifyPorts,
  onAwaitingAddress: OnAwaitingAddress = () => undefined,
): Promise<Identified> {
  const { nonce, token } = request;
  const session = nonce === undefined ? undefined : ports.credentials.workOf(nonce);
  if (nonce !== undefined && session === undefined) return refused('Millrace did not sign its nonce');
  if (token !== undefined) return await identifyByToken(request, { token, session }, ports);
  if (session === undefined) return refused('it sent neither a nonce nor a token');
  return await identifyByNonce(request, { session, peer, onAwaitingAddress }, ports);
}

/**
 * Anyone who can read Pods knows the nonce as soon as the Pod exists, but only the Pod can call from its own
 * address. So the caller's address must match that in the Pod's status.
 */
async function identifyByNonce(
  { pod }: SessionRequest,
  {
    session,
    peer,
    onAwaitingAddress,
  }: { session: AgentSession; peer: string; onAwaitingAddress: OnAwaitingAddress },
  { pods, waiting }: IdentifyPorts,
): Promise<Identified> {
  const judge = async (): Promise<AgentJudgement | Unavailable> => {
    const answer = await pods.find(pod);
    if (answer.answer === 'unavailable') return answer;
    const current = answer.answer === 'found' ? answer.pod : undefined;
    return judgeAgentPod({ session, uid: pod.uid, peer }, current);
  };
  const judgement = await waitForAddress(judge, waiting, onAwaitingAddress);
  if ('answer' in judgement) return notYet(judgement.reason);
  if (judgement.verdict === 'wait') return notYet('the Pod has no address in its status');
  return judgement.verdict === 'refused' ? judgement : { verdict: 'known', session };
}

async function waitForAddress(
  judge: () => Promise<AgentJudgement | Unavailable>,
  { elapsed, sleep, maxWaitMs = MAX_WAIT_MS, waited }: AddressWait,
  onAwaitingAddress: OnAwaitingAddress,
): Promise<AgentJudgement | Unavailable> {
  let judgement = await judge();
  if (isWaiting(judgement)) onAwaitingAddress();
  const since = elapsed();
  let pause = FIRST_PAUSE_MS;
  while (isWaiting(judgement) && elapsed() - since < maxWaitMs) {
    await sleep(pause);
    pause = Math.min(pause + PAUSE_STEP_MS, MAX_PAUSE_MS);
    judgement = await judge();
  }
  if (!('answer' in judgement)) waited?.((elapsed() - since) / 1000);
  return judgement;
}

function isWaiting(judgement: AgentJudgement | Unavailable): boolean {
  return 'verdict' in judgement && judgement.verdict === 'wait';
}

/** Only the Pod that the API server names can read the token. If there is a nonce too, it names the work. */
async function identifyByToken(
  { pod }: SessionRequest,
  { token, session }: { token: string; session: AgentSession | undefined },
  { pods }: IdentifyPorts,
): Promise<Identified> {
  const [owner, found] = await Promise.all([pods.ofToken(token), pods.find(pod)]);
  if (owner.answer === 'unavailable') return notYet(owner.reason);
  if (found.answer === 'unavailable') return notYet(found.reason);
  if (owner.answer === 'unknown') return refused('its token is not valid for an agent');
  if (!isSamePod(owner.pod, pod)) return refused('its token belongs to another Pod');
  if (found.answer === 'absent') return refused('the Pod is gone or ending');
  return workOfPod(found.pod, { session, uid: pod.uid });
}

type PodIdentity = SessionRequest['pod'];

function isSamePod(first: PodIdentity, second: PodIdentity): boolean {
  return first.namespace === second.namespace && first.name === second.name && first.uid === second.uid;
}

function workOfPod(
  pod: AgentPod,
  { session, uid }: { session: AgentSession | undefined; uid: string },
): Identified {
  if (pod.uid !== uid || pod.ending) return refused('the Pod is gone or ending');
  if (session === undefined) return checkGroupOf(pod);
  const judgement = judgeAgentPod({ session, uid }, pod);
  return judgement.verdict === 'refused' ? judgement : { verdict: 'known', session };
}

/**
 * The check group that the labels of a CronJob's Pod name. The caller verifies the namespace. Builds need a
 * nonce instead: anyone who can create Pods can set labels, and a build that waits for approval must not get
 * an agent.
 */
function checkGroupOf({ labels }: AgentPod): Identified {
  if (labels['app.kubernetes.io/managed-by'] !== 'millrace')
    return refused('the Pod has no label of Millrace');
  const { 'millrace.dev/pipeline-id': pipelineId = '', 'millrace.dev/check-group': group } = labels;
  if (!/^\d{1,15}$/.test(pipelineId) || group === undefined)
    return refused('the labels of the Pod name no check group');
  return { verdict: 'group', pipelineId: Number(pipelineId), group };
}

function refused(reason: string): Identified & { verdict: 'refused' } {
  return { verdict: 'refused', reason };
}

function notYet(reason: string): Identified & { verdict: 'not-yet' } {
  return { verdict: 'not-yet', reason };
}

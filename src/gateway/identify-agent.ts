import { setTimeout as sleep } from 'node:timers/promises';
import { judgeAgentPod } from '#domain/build/judge-agent-pod.ts';
import type { AgentPod, Judgement } from '#domain/build/judge-agent-pod.ts';
import { readNonce } from '#adapters/http/agent/nonce.ts';
import type { SessionRequest } from '#domain/build/agent-protocol.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { AgentPods } from './agent-pods.ts';

export type Identified =
  | { verdict: 'known'; session: AgentSession }
  /** A Pod of a CronJob: which run it is for, the checks due now decide. */
  | { verdict: 'group'; pipelineId: number; group: string }
  | { verdict: 'refused'; reason: string }
  | { verdict: 'not-yet'; reason: string };

export interface Identifying {
  pods: AgentPods;
  agentKey: Buffer;
  /** How long the kubelet may take to report the address of a Pod whose agent already calls. */
  longestWaitMs?: number;
  waited?: (seconds: number) => void;
}

/** Everything fits but the address, which is not there yet. */
type Waiting = () => void;

const LONGEST_WAIT_MS = 10_000;
const FIRST_LOOK_AGAIN_MS = 10;
const LONGER_BY_MS = 5;
const LAST_LOOK_AGAIN_MS = 50;

/** The work that a nonce was signed for; undefined when the request shows none of ours. Needs no network. */
export function claimOf(request: SessionRequest, agentKey: Buffer): AgentSession | undefined {
  return request.nonce === undefined ? undefined : readNonce(agentKey, request.nonce);
}

/** Who opens a session (docs/adr/0004-agent-session.md). The answer's reasons are for the log, not for the caller. */
export async function identifyAgent(
  request: SessionRequest,
  peer: string,
  identifying: Identifying,
  waiting: Waiting = () => undefined,
): Promise<Identified> {
  const session = claimOf(request, identifying.agentKey);
  if (request.nonce !== undefined && session === undefined) return refused('its nonce is not of our making');
  if (request.token !== undefined) return await byToken(request, request.token, { ...identifying, session });
  if (session === undefined) return refused('it shows neither nonce nor token');
  return await byNonce(request, { session, peer }, { ...identifying, waiting });
}

/**
 * Whoever may read Pods knows a nonce as soon as the Pod exists, before the agent runs. What they cannot do is call from the Pod's
 * address, so nothing is handed out before that is known.
 */
async function byNonce(
  { pod }: SessionRequest,
  { session, peer }: { session: AgentSession; peer: string },
  identifying: Identifying & { waiting: Waiting },
): Promise<Identified> {
  const judgement = await waitForAddress(
    async () =>
      judgeAgentPod({ session, uid: pod.uid, peer }, await identifying.pods.find(pod.namespace, pod.name)),
    identifying,
  );
  switch (judgement.verdict) {
    case 'accepted':
      return { verdict: 'known', session };
    case 'refused':
      return judgement;
    case 'wait':
    default:
      return { verdict: 'not-yet', reason: 'the Pod has no address in its status' };
  }
}

async function waitForAddress(
  look: () => Promise<Judgement>,
  { longestWaitMs = LONGEST_WAIT_MS, waited, waiting }: Identifying & { waiting: Waiting },
): Promise<Judgement> {
  let judgement = await look();
  if (judgement.verdict === 'wait') waiting();
  const since = performance.now();
  const until = since + longestWaitMs;
  let pause = FIRST_LOOK_AGAIN_MS;
  while (judgement.verdict === 'wait' && performance.now() < until) {
    await sleep(pause);
    pause = Math.min(pause + LONGER_BY_MS, LAST_LOOK_AGAIN_MS);
    judgement = await look();
  }
  waited?.((performance.now() - since) / 1000);
  return judgement;
}

/** The API server vouches for the Pod, its uid included; the token is readable in that Pod only. A nonce beside it says for what. */
async function byToken(
  request: SessionRequest,
  token: string,
  { pods, session }: Pick<Identifying, 'pods'> & { session: AgentSession | undefined },
): Promise<Identified> {
  const { namespace, name, uid } = request.pod;
  const [identity, pod] = await Promise.all([pods.ofToken(token), pods.find(namespace, name)]);
  if (identity === undefined) return refused('its token is not that of an agent');
  if (identity.namespace !== namespace || identity.name !== name || identity.uid !== uid) {
    return refused('its token belongs to another Pod');
  }
  if (pod === undefined || pod.uid !== uid || pod.ending) return refused('the Pod is gone or ending');
  if (session === undefined) return checksOf(pod);
  const judgement = judgeAgentPod({ session, uid }, pod);
  return judgement.verdict === 'refused' ? judgement : { verdict: 'known', session };
}

/**
 * The checks that the Pod of a CronJob is for, by its labels; whether its namespace may have them is for the caller to ask. A build needs
 * the nonce: whoever may create Pods can write labels, and a build that waits for approval must have no agent.
 */
function checksOf({ labels }: AgentPod): Identified {
  if (labels['app.kubernetes.io/managed-by'] !== 'millrace') return refused('the Pod is not one of ours');
  const { 'millrace.dev/pipeline-id': pipelineId = '', 'millrace.dev/check-group': group } = labels;
  if (!/^\d{1,15}$/.test(pipelineId) || group === undefined)
    return refused('the labels of the Pod name no checks');
  return { verdict: 'group', pipelineId: Number(pipelineId), group };
}

function refused(reason: string): Identified & { verdict: 'refused' } {
  return { verdict: 'refused', reason };
}

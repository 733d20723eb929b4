import type { SessionAnswer } from '#adapters/http/agent/agent-api.ts';
import { hashKey } from '#adapters/http/agent/sessions.ts';
import { ApiError } from '#adapters/kubernetes/api/answer.ts';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import type { SessionRequest, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { OutcomeReason } from '#domain/build/events.ts';
import type { CheckStore } from '#flows/check-ports.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import type { BuildStore, SessionStore } from '#flows/ports.ts';
import { claimOf, identifyAgent } from './identify-agent.ts';
import type { Identified, Identifying } from './identify-agent.ts';
import type { TeamSecrets } from './team-secrets.ts';
import { checkRunOf, planOf } from './work-for-agent.ts';

export interface OpeningSessions extends Identifying {
  secrets: TeamSecrets;
  builds: Pick<BuildStore, 'attemptFacts' | 'endBuild'>;
  checks: Pick<CheckStore, 'runFacts' | 'openRunForPod' | 'closeRun'>;
  sessions: Pick<SessionStore, 'openSession'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** Takes work that may begin before it is known whose session it is. */
type Early = (work: SessionResponse) => void;

/**
 * A credential becomes a session and its plan. The API server is asked who calls while the database is asked for the work: what each
 * says counts only together, and the session is written last, so that a stranger leaves no trace.
 */
export async function openAgentSession(
  request: SessionRequest,
  peer: string,
  parts: OpeningSessions,
  early: Early = () => undefined,
): Promise<SessionAnswer> {
  try {
    return await exchange(request, { peer, early }, parts);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { answer: 'not-yet', reason: error.message };
  }
}

async function exchange(
  request: SessionRequest,
  { peer, early }: { peer: string; early: Early },
  parts: OpeningSessions,
): Promise<SessionAnswer> {
  const claim = claimOf(request, parts.agentKey);
  const preparing = claim === undefined ? undefined : prepare(claim, parts);
  // Looked at only after the agent is known; until then its failure is nobody's.
  preparing?.catch(() => undefined);
  let identifying = true;
  const offer = (prepared: Prepared | Lacking | undefined): void => {
    if (identifying && prepared !== undefined && mayBegin(request, prepared)) early(prepared.response);
  };
  const identified = await identifyAgent(request, peer, parts, () => {
    void preparing?.then(offer, () => undefined);
  });
  identifying = false;
  if (identified.verdict === 'refused') return { answer: 'refused', reason: identified.reason };
  if (identified.verdict === 'not-yet') return { answer: 'not-yet', reason: identified.reason };
  const session = await sessionOf(identified, request, parts);
  if (session === undefined) return NOTHING_DUE;
  const prepared = await (preparing ?? prepare(session, parts));
  if (prepared === undefined) return { answer: 'over' };
  const reason = misplaced(request, prepared, identified.verdict);
  if (reason !== undefined) return { answer: 'refused', reason };
  if (prepared.missing !== undefined) return await endWithoutSecret(session, prepared, parts);
  return await claimSession(request, session, prepared, parts);
}

/** A Pod of a CronJob whose resources are all being checked already, or gone, has nothing to do and ends well. */
const NOTHING_DUE: SessionAnswer = {
  answer: 'opened',
  session: { kind: 'checks', run: 0 },
  response: { work: 'checks', run: { format: 1, run: '0', containers: [], checks: [], secrets: [] } },
};

async function sessionOf(
  identified: Identified & { verdict: 'known' | 'group' },
  { pod }: SessionRequest,
  { checks, now }: OpeningSessions,
): Promise<AgentSession | undefined> {
  if (identified.verdict === 'known') return identified.session;
  const run = await checks.openRunForPod(identified.pipelineId, identified.group, pod, now());
  return run === undefined ? undefined : { kind: 'checks', run };
}

interface Prepared {
  pipelineId: number;
  namespace: string;
  podName: string;
  missing?: undefined;
  response: SessionResponse;
}
type Lacking = Omit<Prepared, 'missing' | 'response'> & { missing: string[] };

/** Labels and nonces can be copied into another namespace and another Pod; names there cannot be ours. */
function misplaced(
  { pod }: SessionRequest,
  { namespace, podName }: Prepared | Lacking,
  verdict: 'known' | 'group',
): string | undefined {
  if (namespace !== pod.namespace) return `the work belongs into namespace ${namespace}`;
  // Kubernetes names the Pods of a CronJob.
  return verdict === 'group' || podName === pod.name
    ? undefined
    : `the Pod of this work is called ${podName}`;
}

/** Work that only runs what readers of the namespace may know, in the Pod that was made for it. */
function mayBegin(request: SessionRequest, prepared: Prepared | Lacking): prepared is Prepared {
  if (prepared.missing !== undefined) return false;
  const { response } = prepared;
  const { secrets } = response.work === 'build' ? response.plan : response.run;
  return secrets.length === 0 && misplaced(request, prepared, 'known') === undefined;
}

async function prepare(
  session: AgentSession,
  parts: OpeningSessions,
): Promise<Prepared | Lacking | undefined> {
  return session.kind === 'build' ? await prepareBuild(session, parts) : await prepareRun(session.run, parts);
}

async function prepareBuild(
  { build, attempt }: { build: number; attempt: number },
  { builds, secrets }: OpeningSessions,
): Promise<Prepared | Lacking | undefined> {
  const facts = await builds.attemptFacts(build, attempt);
  if (facts === undefined) return undefined;
  const { namespace, pipelineId } = facts;
  const podName = buildPodName(facts);
  const { work, missing } = await planOf(facts, secrets);
  if (missing !== undefined) return { namespace, pipelineId, podName, missing };
  return { namespace, pipelineId, podName, response: { work: 'build', plan: work } };
}

async function prepareRun(
  run: number,
  { checks, secrets }: OpeningSessions,
): Promise<Prepared | Lacking | undefined> {
  const facts = await checks.runFacts(run);
  if (facts === undefined) return undefined;
  const { namespace, pipelineId, pipeline } = facts;
  const podName = checkPodName(pipeline, run);
  const { work, missing } = await checkRunOf(facts, secrets);
  if (missing !== undefined) return { namespace, pipelineId, podName, missing };
  return { namespace, pipelineId, podName, response: { work: 'checks', run: work } };
}

async function endWithoutSecret(
  session: AgentSession,
  lacking: Lacking,
  parts: OpeningSessions,
): Promise<SessionAnswer> {
  const why = { reason: 'SecretMissing', message: lacking.missing.join(' ') } as const;
  await end({ session, ...why }, lacking.pipelineId, parts);
  return { answer: 'over' };
}

async function claimSession(
  request: SessionRequest,
  session: AgentSession,
  prepared: Prepared,
  parts: OpeningSessions,
): Promise<SessionAnswer> {
  const at = parts.now();
  const answer = await parts.sessions.openSession(session, hashKey(request.key), request.pod.uid, at);
  if (answer === 'opened' || answer === 'same') return { answer, session, response: prepared.response };
  if (answer === 'taken') await end({ session, ...FOREIGN }, prepared.pipelineId, parts);
  return answer === 'taken' ? { answer, session } : { answer };
}

/** Two keys for one credential: one of them is a stranger's, and nobody can say which. */
const FOREIGN = {
  reason: 'AgentAuthentication',
  message:
    'A second key showed the credential of the agent, so somebody else has read it. Look at who may read Pods here.',
} as const;

async function end(
  { session, reason, message }: { session: AgentSession; reason: OutcomeReason; message: string },
  pipelineId: number,
  { builds, checks, notifications, now }: OpeningSessions,
): Promise<void> {
  const at = now();
  if (session.kind === 'checks') await checks.closeRun(session.run, at, message);
  else await builds.endBuild(session.build, session.attempt, { outcome: 'failed', reason, message, at });
  notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  notifications.notify({ topic: 'status', pipeline: pipelineId });
}

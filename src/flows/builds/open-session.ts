import { defined } from '#defined';
import type { AgentWork, SessionRequest } from '#domain/build/agent-protocol.ts';
import type { AgentSession, WorkSession } from '#domain/build/agent-session.ts';
import type { OutcomeReason } from '#domain/build/events.ts';
import { smallerLimit } from '#domain/build/log-limit.ts';
import { isActive } from '#domain/scheduling/build-changes.ts';
import { openRunForPod } from '#flows/checks/claim-checks.ts';
import type { CheckStore } from '#flows/checks/ports.ts';
import { closeRun } from '#flows/checks/record-check.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { endBuild } from './end-build.ts';
import { planForAgent, runForAgent } from './fill-secrets.ts';
import { identifyAgent, type Identified, type IdentifyPorts } from './identify-agent.ts';
import type { ImageLookUps } from './image-ports.ts';
import { withEntrypoints } from './look-up-entrypoints.ts';
import type { BuildStore } from './ports.ts';
import type { AgentCredentials, AgentPods, AgentSessionAnswer, SessionStore } from './session-ports.ts';

export interface OpenSessionPorts extends IdentifyPorts {
  pods: AgentPods;
  credentials: AgentCredentials;
  images: ImageLookUps;
  builds: Pick<BuildStore, 'attemptFacts' | 'withBuild' | 'explainPending'>;
  checks: Pick<CheckStore, 'runFacts' | 'withChecks' | 'cronNext'>;
  sessions: Pick<SessionStore, 'openSession' | 'openWarm'>;
  notifications: Pick<Notifications, 'notify'>;
  /** The installation's limit for the bytes of one attempt's log. Absent: `DEFAULT_LOG_BYTES`. */
  logLimitBytes?: number;
  /** Address of the installation. Absent: the installation has none. */
  externalUrl?: string | undefined;
  now: () => Date;
}

export type PrepareBuildPorts = Pick<
  OpenSessionPorts,
  'builds' | 'pods' | 'images' | 'logLimitBytes' | 'externalUrl'
>;
export type EndWorkPorts = Pick<OpenSessionPorts, 'builds' | 'checks' | 'notifications' | 'now'>;

/**
 * Called at most once, and only before the answer, with work that the agent may begin before it is
 * identified.
 */
type OnProvisional = (work: AgentWork) => void;

/**
 * Exchanges a credential for a session and a plan. The API server identifies the caller while the database
 * prepares the work. The session is written last, so a refused caller leaves no trace.
 */
export async function openAgentSession(
  request: SessionRequest,
  peer: string,
  ports: OpenSessionPorts,
  onProvisional: OnProvisional = () => undefined,
): Promise<AgentSessionAnswer> {
  const claimed = request.nonce === undefined ? undefined : ports.credentials.workOf(request.nonce);
  const preparing = isWorkSession(claimed) ? prepare(claimed, request, ports) : undefined;
  // `answerIdentified` awaits this and handles a failure. If the caller is refused, a failure has no effect.
  preparing?.catch(() => undefined);
  let identifying = true;
  const offer = (work: Work): void => {
    if (identifying && mayBegin(request, work)) onProvisional(work.response);
  };
  const identified = await identifyAgent(request, peer, ports, () => {
    void preparing?.then(offer, () => undefined);
  });
  identifying = false;
  if (identified.verdict === 'refused') return { answer: 'refused', reason: identified.reason };
  if (identified.verdict === 'not-yet') return { answer: 'not-yet', reason: identified.reason };
  return await answerIdentified(identified, { request, preparing }, ports);
}

async function answerIdentified(
  identified: Identified & { verdict: 'known' | 'group' },
  { request, preparing }: { request: SessionRequest; preparing: Promise<Work> | undefined },
  ports: OpenSessionPorts,
): Promise<AgentSessionAnswer> {
  if (identified.verdict === 'known' && identified.session.kind === 'warm')
    return await openWarmSession(identified.session, request, ports);
  const session = await sessionFor(identified, request, ports);
  if (session === undefined) return NOTHING_DUE;
  const work = await (preparing ?? prepare(session, request, ports));
  return await answerWith(work, { request, session, verdict: identified.verdict }, ports);
}

function isWorkSession(session: AgentSession | undefined): session is WorkSession {
  return session !== undefined && session.kind !== 'warm';
}

/** Identifies a warm Pod by its recorded uid. The agent gets its work later (`begin-warm-work.ts`). */
async function openWarmSession(
  session: AgentSession & { kind: 'warm' },
  { key, pod }: SessionRequest,
  ports: OpenSessionPorts,
): Promise<AgentSessionAnswer> {
  const opened = await ports.sessions.openWarm(session.warm, ports.credentials.hashOf(key), pod.uid);
  switch (opened.answer) {
    case 'opened':
    case 'same':
      return { answer: opened.answer, session, response: { work: 'wait' } };
    case 'not-yet':
      return { answer: 'not-yet', reason: 'the operator has not recorded the Pod' };
    case 'taken':
      if (opened.build === undefined) return { answer: 'taken', session };
      return await endForSecondKey({ kind: 'build', ...opened.build }, ports);
    case 'over':
    default:
      return { answer: 'over' };
  }
}

/** Fails a build because a second key requested the session of its warm Pod. */
async function endForSecondKey(
  session: WorkSession & { kind: 'build' },
  ports: OpenSessionPorts,
): Promise<AgentSessionAnswer> {
  const facts = await ports.builds.attemptFacts(session.build, session.attempt);
  if (facts !== undefined) await endWork({ session, ...SECOND_KEY }, facts.pipelineId, ports);
  return { answer: 'taken', session };
}

interface Caller {
  request: SessionRequest;
  session: WorkSession;
  verdict: 'known' | 'group';
}

async function answerWith(work: Work, caller: Caller, ports: OpenSessionPorts): Promise<AgentSessionAnswer> {
  if (work.answer === 'over') return { answer: 'over' };
  const reason = wrongPodReason(caller.request, work, caller.verdict);
  if (reason !== undefined) return { answer: 'refused', reason };
  if (work.answer === 'ready') return await claimSession(caller, work, ports);
  return await answerWithoutImage(caller.session, work, ports);
}

/** The Pod of a CronJob succeeds without work if its resources are being checked already, or were removed. */
const NOTHING_DUE: AgentSessionAnswer = {
  answer: 'opened',
  session: { kind: 'checks', run: 0 },
  response: { work: 'checks', run: { format: 2, run: '0', containers: [], checks: [] } },
};

async function sessionFor(
  identified: Identified & { verdict: 'known' | 'group' },
  { pod }: SessionRequest,
  ports: OpenSessionPorts,
): Promise<WorkSession | undefined> {
  if (identified.verdict === 'known')
    return identified.session.kind === 'warm' ? undefined : identified.session;
  const { pipelineId, group } = identified;
  const { namespace, uid: podUid } = pod;
  const run = await openRunForPod({ pipelineId, group, namespace, podUid }, ports);
  return run === undefined ? undefined : { kind: 'checks', run };
}

interface WorkPod {
  pipelineId: number;
  namespace: string;
  podName: string;
}
type ReadyWork = WorkPod & { answer: 'ready'; response: AgentWork };
/** An entrypoint is not known. `wait`: the agent tries again. */
type MissingImage = WorkPod & { answer: 'wait' | 'end'; reason: string };
type Work = ReadyWork | MissingImage | { answer: 'over' };

async function prepare(
  session: WorkSession,
  { pod, architecture = 'amd64' }: SessionRequest,
  ports: OpenSessionPorts,
): Promise<Work> {
  return session.kind === 'build'
    ? await prepareBuild(session, architecture, ports)
    : await prepareRun(session.run, { podName: pod.name, architecture }, ports);
}

/** Plans the attempt and fills in the entrypoints of its images. `over`: the build has ended. */
export async function prepareBuild(
  { build, attempt }: { build: number; attempt: number },
  architecture: string,
  { builds, pods, images, logLimitBytes, externalUrl }: PrepareBuildPorts,
): Promise<Work> {
  const facts = await builds.attemptFacts(build, attempt);
  if (facts === undefined || !isActive(facts.status)) return { answer: 'over' };
  const { namespace, pipelineId } = facts;
  const pod = { namespace, pipelineId, podName: facts.podName ?? pods.nameForBuild(facts) };
  const runnable = await withEntrypoints(
    planForAgent(facts, { externalUrl }),
    { ...pod, architecture },
    images,
  );
  if (runnable.answer !== 'filled') return { ...pod, ...runnable };
  const limit = smallerLimit(logLimitBytes, facts.logLimitBytes);
  const plan = { ...runnable.work, ...defined({ logLimitBytes: limit }) };
  return { answer: 'ready', ...pod, response: { work: 'build', plan } };
}

async function prepareRun(
  run: number,
  // The name comes from the request, because Kubernetes names the Pods of a CronJob.
  agentPod: { podName: string; architecture: string },
  { checks, pods, images }: OpenSessionPorts,
): Promise<Work> {
  const facts = await checks.runFacts(run);
  if (facts === undefined) return { answer: 'over' };
  const { namespace, pipelineId, pipeline } = facts;
  const pod = { namespace, pipelineId, podName: pods.nameForChecks(pipeline, run) };
  const runnable = await withEntrypoints(runForAgent(facts), { namespace, ...agentPod }, images);
  if (runnable.answer !== 'filled') return { ...pod, ...runnable };
  return { answer: 'ready', ...pod, response: { work: 'checks', run: runnable.work } };
}

/**
 * Whether work may be sent before the caller is identified: only if the request names the Pod that was
 * created for the work. Readers of that Pod's namespace can see the work anyway.
 */
function mayBegin(request: SessionRequest, work: Work): work is ReadyWork {
  return work.answer === 'ready' && wrongPodReason(request, work, 'known') === undefined;
}

/** Anyone can copy labels and nonces into another Pod, but not the namespace and name of Millrace's Pod. */
function wrongPodReason(
  { pod }: SessionRequest,
  { namespace, podName }: WorkPod,
  verdict: 'known' | 'group',
): string | undefined {
  if (namespace !== pod.namespace) return `the work belongs to namespace ${namespace}`;
  // Kubernetes names the Pods of a CronJob.
  return verdict === 'group' || podName === pod.name
    ? undefined
    : `the Pod of this work has the name ${podName}`;
}

/**
 * If the agent may try again, a build stays pending and shows the reason. Otherwise the work ends. A run of
 * checks, hooks or notifications always ends here. Later runs repeat the checks, but not hooks or
 * notifications.
 */
export async function answerWithoutImage(
  session: WorkSession,
  { answer, pipelineId, reason }: MissingImage,
  ports: EndWorkPorts,
): Promise<AgentSessionAnswer> {
  if (answer === 'wait' && session.kind === 'build') {
    await ports.builds.explainPending(session.build, `ImagePullFailed: ${reason}`);
    ports.notifications.notify({ topic: 'status', pipeline: pipelineId });
    return { answer: 'not-yet', reason };
  }
  await endWork({ session, reason: 'ImagePullFailed', message: reason }, pipelineId, ports);
  return { answer: 'over' };
}

async function claimSession(
  { request, session }: Caller,
  { pipelineId, response }: ReadyWork,
  ports: OpenSessionPorts,
): Promise<AgentSessionAnswer> {
  const keyHash = ports.credentials.hashOf(request.key);
  const answer = await ports.sessions.openSession(session, keyHash, request.pod.uid, ports.now());
  if (answer === 'opened' || answer === 'same') return { answer, session, response };
  if (answer === 'over') return { answer };
  await endWork({ session, ...SECOND_KEY }, pipelineId, ports);
  return { answer, session };
}

/** One of the two keys is not the agent's, and it is unknown which. */
const SECOND_KEY = {
  reason: 'AgentAuthentication',
  message:
    'A second client used the credential of the agent, so somebody has read it. ' +
    'Check who can read Pods in this namespace.',
} as const;

async function endWork(
  { session, reason, message }: { session: WorkSession; reason: OutcomeReason; message: string },
  pipelineId: number,
  { builds, checks, notifications, now }: EndWorkPorts,
): Promise<void> {
  const at = now();
  if (session.kind === 'checks') await closeRun(session.run, { checks, now: () => at }, message);
  else await endBuild(session, { outcome: 'failed', reason, message, at }, builds);
  notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  notifications.notify({ topic: 'status', pipeline: pipelineId });
}

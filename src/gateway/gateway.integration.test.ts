import { createHash, createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { signNonce } from '#adapters/crypto/agent-nonce.ts';
import { webhookToken } from '#adapters/crypto/digests.ts';
import {
  openNotifications,
  type ClosableNotifications,
} from '#adapters/database/connection/notifications.ts';
import { cachedDefinitions } from '#adapters/database/revisions/definitions.ts';
import { viewStore } from '#adapters/database/views/view-store.ts';
import { agentFlows } from '#adapters/http/agent/agent-flows.ts';
import { agentCredentials } from '#adapters/http/agent/credentials.ts';
import type { AgentApp } from '#adapters/http/agent/routes.ts';
import { createAgentServer } from '#adapters/http/agent/server.ts';
import type { Authenticate } from '#adapters/http/auth/authenticate.ts';
import { publicRoutes } from '#adapters/http/routes.ts';
import type { App } from '#adapters/http/server/route.ts';
import { createServer } from '#adapters/http/server/server.ts';
import { buildPodName, checkPodName } from '#adapters/kubernetes/manifests/names.ts';
import { makeAuthority } from '#adapters/kubernetes/secrets/certificates.ts';
import { createLog } from '#adapters/telemetry/log.ts';
import { agentMetrics, createMetrics, publicMetrics } from '#adapters/telemetry/metrics.ts';
import type { AgentSession } from '#domain/build/agent-session.ts';
import { workLabels } from '#domain/build/judge-agent-pod.ts';
import type { Topic } from '#flows/notification-ports.ts';
import { completeViews } from '#flows/views/complete-views.ts';
import { agentPodsOf, noIdentity, noImages, realWaiting } from '#testing/flows/agent-ports.ts';
import { describeNotification } from '#testing/flows/recorded-notifications.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { giveTurns, openStores, toSave, WEBHOOK_KEY, type TestStores } from '#testing/stores/stores.ts';
import { cancelHints, debugHints } from './build-hints.ts';
import { openOverviews, type ClosableOverviews } from './overviews.ts';
import { pipelinePorts } from './pipelines.ts';
import { warmHints } from './warm-hints.ts';

/*
 * Both gateways over a real Postgres, without sockets: the requests of a forge, a person and an agent, from a
 * webhook to a log.
 */
const AGENT_KEY = Buffer.alloc(32, 1);
/** A pipeline that builds only on request. */
const manualPipeline = samplePipeline({
  jobs: [job('unit', getStep('git.app', { trigger: false }), task('test'))],
});
const APP = '/teams/main/pipelines/app';

let stores: TestStores;
let notifications: ClosableNotifications;
let overviews: ClosableOverviews;
let people: App;
let agents: AgentApp;
let resourceId = 0;
const receivedNotifications: string[] = [];
const logLines: string[] = [];
const pods = new Map<string, { session: AgentSession; uid: string }>();

const authenticate: Authenticate = async ({ authorization }) =>
  authorization === undefined
    ? 'anonymous'
    : { user: 'anna', globalAdmin: false, teams: new Map([['main', 'maintain']]) };

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(manualPipeline));
  resourceId = saved.resources[0]?.id ?? 0;
  notifications = openNotifications({ url: stores.url, pool: stores.pool });
  const topics: Topic[] = ['checks', 'schedule', 'builds', 'status'];
  notifications.listen(
    topics,
    (notification) => void receivedNotifications.push(describeNotification(notification)),
  );
  const log = createLog('info', 'test', { write: (line) => void logLines.push(line) });
  const { registry } = createMetrics('test', '0');
  const shared = { ...stores, notifications, now: () => new Date() };
  overviews = openOverviews(stores.show, stores.views);
  const ports = pipelinePorts({
    ...shared,
    ...overviews,
    views: completeViews(
      viewStore({ pool: stores.pool, definitions: cachedDefinitions() }),
      () => new Date(),
    ),
    webhookKey: WEBHOOK_KEY,
    metrics: publicMetrics(registry),
  });
  people = createServer({ routes: publicRoutes(ports, async () => undefined, '0'), authenticate, log });
  const authority = await makeAuthority('test', new Date());
  agents = createAgentServer({
    flows: agentFlows({
      ...shared,
      credentials: agentCredentials(AGENT_KEY),
      waiting: realWaiting,
      images: noImages,
      ...noIdentity,
      secrets: { read: async () => ({ answer: 'read', values: new Map() }) },
      pods: agentPodsOf(({ namespace, name }) => {
        const pod = pods.get(`${namespace}/${name}`);
        return (
          pod && { uid: pod.uid, labels: workLabels(pod.session), ending: false, addresses: ['127.0.0.1'] }
        );
      }),
    }),
    sessions: shared.sessions,
    cancels: cancelHints(notifications),
    debugs: debugHints(notifications),
    warmPods: warmHints(notifications),
    certificate: {
      cert: authority.certificate,
      key: authority.key,
      minVersion: 'TLSv1.3',
      ticketKeys: Buffer.alloc(48),
    },
    log,
    metrics: agentMetrics(registry),
    readiness: async () => undefined,
    version: '0',
  });
});
afterAll(async () => {
  await Promise.all([people.close(), agents.close()]);
  await overviews.close();
  await notifications.close();
  await stores.close();
});

const post = async (url: string) =>
  await people.inject({ method: 'POST', url, headers: { authorization: 'Bearer t' } });
const get = async (url: string, accept = 'application/json') =>
  await people.inject({ method: 'GET', url, headers: { authorization: 'Bearer t', accept } });
const callAsAgent = async (path: string, payload: object, key?: string) =>
  await agents.inject({
    method: 'POST',
    url: `/agent/v1/${path}`,
    payload,
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
  });
interface Webhook {
  data: { webhook_token: string; webhook_secret: string };
}

/** Sends the webhook without and then with a signature. Returns both statuses. */
async function sendWebhook({ data }: Webhook): Promise<number[]> {
  const url = `/webhooks/${data.webhook_token}`;
  const payload = '{}';
  const hex = createHmac('sha256', data.webhook_secret).update(payload).digest('hex');
  const plain = await people.inject({ method: 'POST', url, payload });
  const headers = { 'x-forgejo-signature': hex };
  return [plain.statusCode, (await people.inject({ method: 'POST', url, payload, headers })).statusCode];
}

const keyOf = (name: string): string => createHash('sha256').update(name).digest('base64url');

async function openSession(session: AgentSession, name: string, key: string) {
  const uid = `uid-of-${name}`;
  pods.set(`main/${name}`, { session, uid });
  return await callAsAgent('session', {
    key,
    pod: { namespace: 'main', name, uid },
    nonce: signNonce(AGENT_KEY, session),
  });
}

describe('from a webhook to a log', () => {
  test('a webhook starts a check whose versions an agent reports', async () => {
    const token = webhookToken(WEBHOOK_KEY, resourceId, 1);
    expect((await people.inject({ method: 'POST', url: `/webhooks/${token}` })).statusCode).toBe(202);
    const [due] = await stores.checks.dueChecks(new Date(), 10);
    expect(due).toMatchObject({ resource: 'git.app', cause: 'webhook' });
    const opened = await stores.checks.openRun([due?.scope ?? 0], 'webhook', new Date());
    const run = opened?.run ?? 0;

    const key = keyOf('check');
    const session = await openSession({ kind: 'checks', run }, checkPodName('app', run), key);
    expect(session.json()).toMatchObject({ work: 'checks', run: { checks: [{ resource: 'git.app' }] } });
    const scope = String(due?.scope);
    const results = [{ scope, versions: [{ ref: 'one' }, { ref: 'two' }], log: 'fetched' }];
    expect((await callAsAgent('check-results', { results, done: true }, key)).json()).toEqual({});
    expect((await get(`${APP}/resources/git.app/versions`)).json()).toMatchObject({
      data: [{ version: { ref: 'two' } }, { version: { ref: 'one' } }],
      has_more: false,
    });
  });

  test('a trigger starts a build whose agent reports steps and logs', async () => {
    const answer = await post(`${APP}/jobs/unit/trigger`);
    expect(answer.json()).toMatchObject({ data: { job: 'unit', number: '1' } });
    expect((await get(`${APP}/jobs/unit/builds/1`)).json()).toMatchObject({
      data: { status: 'pending', inputs: [{ resource: 'git.app', version: { ref: 'two' } }] },
    });
    await giveTurns(stores);
    const [pending] = await stores.builds.buildsToStart(10);
    if (pending === undefined) throw new Error('no build to start');
    const session = { kind: 'build', build: pending.id, attempt: 1 } as const;
    const key = keyOf('build');
    const opened = await openSession(session, buildPodName(pending), key);
    expect(opened.json()).toMatchObject({
      work: 'build',
      plan: { steps: [{ kind: 'get' }, { kind: 'task' }] },
    });

    const at = new Date().toISOString();
    const event = (sequence: number, type: string, fields: object) => ({ sequence, at, type, ...fields });
    const events = [
      event(1, 'step-started', { step: '0' }),
      event(2, 'step-ended', { step: '0', status: 'succeeded', exitCode: 0 }),
      event(3, 'step-started', { step: '1' }),
      event(4, 'log', { step: '1', text: 'hello\n' }),
      event(5, 'log', { step: '1', text: 'world\n' }),
      event(6, 'step-ended', { step: '1', status: 'succeeded', exitCode: 0 }),
    ];
    expect((await callAsAgent('events', { events }, key)).json()).toEqual({ acknowledged: 6 });
    expect((await get(`${APP}/jobs/unit`)).json()).toMatchObject({ data: { has_running: true } });
    const end = event(7, 'build-ended', {
      outcome: 'succeeded',
      reason: 'AllStepsSucceeded',
      message: 'All well.',
    });
    expect((await callAsAgent('events', { events: [...events, end] }, key)).json()).toEqual({
      acknowledged: 7,
    });

    expect((await get(`${APP}/jobs/unit/builds/1/logs`, 'text/plain')).body).toBe('hello\nworld\n');
    expect((await get(`${APP}/jobs/unit/builds/1/logs?after=4`)).json()).toMatchObject({
      data: [{ sequence: 5, text: 'world\n' }],
      has_more: false,
      complete: true,
    });
    expect((await get(`${APP}/jobs/unit/builds?status=succeeded`)).json()).toMatchObject({
      data: [{ number: '1', status: 'succeeded', reason: 'AllStepsSucceeded' }],
    });
  });

  test('a second agent with the same nonce and another key ends the build', async () => {
    await post(`${APP}/jobs/unit/trigger`);
    await giveTurns(stores);
    const [pending] = await stores.builds.buildsToStart(10);
    if (pending === undefined) throw new Error('no build to start');
    const session = { kind: 'build', build: pending.id, attempt: 1 } as const;
    const name = buildPodName(pending);
    expect((await openSession(session, name, keyOf('attacker'))).statusCode).toBe(200);
    expect((await openSession(session, name, keyOf('agent'))).statusCode).toBe(401);
    expect((await get(`${APP}/jobs/unit/builds/2`)).json()).toMatchObject({
      data: { status: 'failed', reason: 'AgentAuthentication' },
    });
    const forged = { sequence: 1, at: new Date().toISOString(), type: 'step-started', step: '0' };
    expect((await callAsAgent('events', { events: [forged] }, keyOf('attacker'))).statusCode).toBe(401);
  });

  test('repeated requests of a person start one check', async () => {
    expect(await stores.checks.dueChecks(new Date(), 10)).toEqual([]);
    const answers = [
      await post(`${APP}/resources/git.app/check`),
      await post(`${APP}/resources/git.app/check`),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([202, 202]);
    expect(await stores.checks.dueChecks(new Date(), 10)).toMatchObject([{ cause: 'manual' }]);
    expect((await post(`${APP}/resources/git.absent/check`)).statusCode).toBe(404);
  });

  test('a job without a version is refused with the reason', async () => {
    await stores.pipelines.savePipeline(toSave(manualPipeline, { pipeline: 'fresh', uid: 'uid-2' }));
    const answer = await post('/teams/main/pipelines/fresh/jobs/unit/trigger');
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toMatchObject({ reasons: [{ code: 'NoVersion' }] });
  });

  test('the other processes are notified, and the log contains no secret', () => {
    expect(receivedNotifications).toEqual(expect.arrayContaining(['checks', 'builds']));
    expect(receivedNotifications.some((text) => text.startsWith('schedule '))).toBe(true);
    const text = logLines.join('');
    const token = webhookToken(WEBHOOK_KEY, resourceId, 1);
    for (const secret of [token, keyOf('build'), signNonce(AGENT_KEY, { kind: 'checks', run: 1 })]) {
      expect(text).not.toContain(secret);
    }
  });

  test('a maintainer sees the webhook token that works', async () => {
    const shown = (await get(`${APP}/resources/git.app`)).json<Webhook>();
    expect(await sendWebhook(shown)).toEqual([202, 202]);
  });

  test('a new webhook token ends the old one at once, and then only signed deliveries are accepted', async () => {
    const before = (await get(`${APP}/resources/git.app`)).json<Webhook>();
    const answer = await people.inject({
      method: 'POST',
      url: `${APP}/resources/git.app/webhook_token`,
      headers: { authorization: 'Bearer t' },
      payload: { signature: 'required' },
    });
    expect(await sendWebhook(before)).toEqual([404, 404]);
    expect(await sendWebhook(answer.json<Webhook>())).toEqual([403, 202]);
    const { webhook_token: token } = answer.json<Webhook>().data;
    const shown = (await get(`${APP}/resources/git.app`)).json<Webhook>();
    expect(shown.data).toMatchObject({ webhook_token: token, webhook_signature: 'required' });
  });
});

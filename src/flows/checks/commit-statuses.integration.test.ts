import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { commitStatusScript } from '#domain/pipeline/built-in/commit-status.ts';
import { hostcheckScript } from '#domain/pipeline/built-in/hostcheck.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { planNotificationRun } from '#domain/planning/plan-notifications.ts';
import { endBuild } from '#flows/builds/end-build.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import { expireApprovals } from '#flows/builds/give-turns.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { StatusForge } from '#testing/forges/status-forge.ts';
import { InMemoryCluster } from '#testing/kubernetes/in-memory-cluster.ts';
import { CheckRunForge } from '#testing/network/check-run-forge.ts';
import { job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { runScript } from '#testing/process/run-script.ts';
import { actionsOver, type Actions } from '#testing/stores/actions.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { claimNotifications } from './claim-notifications.ts';
import { runHooks } from './run-hooks.ts';

/*
 * The status of a commit and its check run are completed, whichever way a build ends without its agent. The
 * tests run real flows on a real database, and the scripts against strict servers. For ends with an agent:
 * src/agent/commit-status.integration.test.ts.
 */
const APP = { team: 'main', pipeline: 'app' };
const BUILD = { ...APP, job: 'ship', number: '1' };
const [SHA, NEXT_SHA] = ['a'.repeat(40), 'b'.repeat(40)];
const { privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
});

let stores: TestStores;
let cluster: InMemoryCluster;
let notifications: RecordedNotifications;
let actions: Actions;
let saved: SavedPipeline;
let statuses: StatusForge;
let checks: CheckRunForge;

const now = (): Date => new Date();
const ports = () => ({ ...stores, cluster, notifications, now, pods: () => [...cluster.pods.values()] });

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  statuses = new StatusForge('gitea', 'the-token');
  checks = new CheckRunForge();
  await Promise.all([statuses.open(), checks.open()]);
});
afterEach(async () => await Promise.all([statuses.close(), checks.close()]));

const typeOf = (name: string, cmd: string) => ({
  name,
  builtIn: true,
  params: [],
  notify: { runner: 'shell' as const, cmd },
  origin: { source: `svc://${name}` },
});
const notificationOf = (name: string, params: Record<string, string>) => ({
  name: `${name}.app`,
  type: name,
  label: 'app',
  params,
  on: ['success' as const, 'failure' as const, 'cancel' as const],
});

function definition(approval: boolean, version: 'every' | 'latest'): Pipeline {
  const getApp = {
    kind: 'get',
    name: 'app',
    resource: 'git.app',
    trigger: true,
    passed: [],
    version,
  } as const;
  const ship = job('ship', { ...getApp, passed: [] }, task('ship'));
  const gate = { label: 'go', approvals: 1, timeoutSeconds: 60, notify: [] };
  return samplePipeline({
    jobs: [approval ? { ...ship, approval: gate } : ship],
    notificationTypes: [typeOf('commit-status', commitStatusScript), typeOf('hostcheck', hostcheckScript)],
    notifications: [
      notificationOf('commit-status', { url: statuses.url, provider: 'gitea', token: 'the-token' }),
      notificationOf('hostcheck', {
        app_id: '12',
        installation_id: '34',
        private_key: privateKey,
        repository: 'o/r',
      }),
    ],
  });
}

async function begin(approval: boolean, version: 'every' | 'latest' = 'every'): Promise<void> {
  await stores.empty();
  cluster = new InMemoryCluster();
  notifications = new RecordedNotifications();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(definition(approval, version)));
  actions = actionsOver({ ...stores, notifications, now });
  await scheduleBuild(SHA);
  if (!approval) await startBuilds(ports());
}

async function scheduleBuild(ref: string): Promise<void> {
  await recordFoundVersions(stores, saved, [{ ref }]);
  await scheduleOn(stores, saved.id, now());
}

/** Runs a script as its command would, and expects it to succeed. */
async function send(script: string, env: Record<string, string>): Promise<void> {
  const end = await runScript(script, '/tmp', { ...env, HOSTCHECK_API: checks.url });
  expect(end).toMatchObject({ code: 0 });
}

/** Opens a status and a check run, as the notifications of `on_trigger` would. */
async function openStatusAndCheckRun(): Promise<void> {
  const names = {
    BUILD_TEAM_NAME: 'main',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_JOB_NAME: 'ship',
    version_ref: SHA,
  };
  for (const { type, params } of definition(true, 'every').notifications ?? []) {
    const paramEnv = Object.fromEntries(
      Object.entries(params).map(([key, value]) => [`param_${key}`, value]),
    );
    const script = type === 'hostcheck' ? hostcheckScript : commitStatusScript;
    await send(script, { ...names, ...paramEnv, notify_status: 'queued', notify_state: 'pending' });
  }
  expect([statuses.leftOpen().length, checks.leftOpen().length]).toEqual([1, 1]);
}

/** Sends the due notifications, as the Pods of the runs would. */
async function sendDue(): Promise<void> {
  await claimNotifications(ports());
  await runHooks(ports());
  for (const { run } of await stores.checks.openHookRuns()) {
    const facts = await stores.checks.runFacts(run);
    const builds = facts?.notifications?.builds ?? [];
    const pipeline = definition(true, 'every');
    const toPlan = {
      run: String(run),
      team: 'main',
      name: 'app',
      job: 'ship',
      builds,
      pipeline,
      empty: pipeline,
    };
    for (const { command, env } of planNotificationRun(toPlan).hooks?.plans ?? [])
      await send(command.script ?? '', env);
  }
}

const idOf = async (): Promise<number> => (await stores.views.buildIds(BUILD))?.build ?? 0;

async function lose(
  outcome: 'failed' | 'cancelled',
  reason: 'PodLost' | 'Cancelled' = 'PodLost',
): Promise<void> {
  const end = { outcome, reason, message: 'The node is gone.', at: now() } as const;
  expect(await endBuild({ build: await idOf(), attempt: 1 }, end, stores.builds)).toBe('ended');
}

/** The agent sent both notifications of the end, but its Pod is lost before it could report the end. */
async function loseAfterSent(): Promise<void> {
  const events = ['0', 'notification.0', 'notification.1'].map((step, index) => ({
    sequence: index + 1,
    at: now().toISOString(),
    type: 'step-started' as const,
    step,
  }));
  await followBuild({ build: await idOf(), attempt: 1 }, events, ports());
  await lose('failed');
}

async function pinOther(): Promise<void> {
  const [other = 0] = await recordFoundVersions(stores, saved, [{ ref: NEXT_SHA }]);
  await actions.pin({ ...APP, resource: 'git.app' }, { version: other, by: 'ann' });
}

type Ended = [approval: boolean, end: () => Promise<unknown>, state: string, conclusion: string];
const ENDS: Record<string, Ended> = {
  'is cancelled before it runs': [true, () => actions.cancelBuild(BUILD, 'ann'), 'error', 'cancelled'],
  'is rejected': [
    true,
    () => actions.vote(BUILD, { by: 'ann', approve: false, message: 'No.' }),
    'failure',
    'failure',
  ],
  'waits for its approval too long': [
    true,
    () => expireApprovals(stores.builds, new Date(Date.now() + 61_000)),
    'failure',
    'failure',
  ],
  'has another version than a pin': [true, pinOther, 'error', 'cancelled'],
  'loses its Pod': [false, () => lose('failed'), 'failure', 'failure'],
  'loses its Pod after its agent completed them': [false, loseAfterSent, 'failure', 'failure'],
  'loses its Pod while it is cancelled': [false, () => lose('cancelled', 'Cancelled'), 'error', 'cancelled'],
};

test.each(Object.entries(ENDS))(
  'the status and check run of a build that %s are completed',
  async (_, row) => {
    const [approval, end, state, conclusion] = row;
    await begin(approval);
    await openStatusAndCheckRun();
    await end();
    await sendDue();
    expect([statuses.leftOpen(), checks.leftOpen()]).toEqual([[], []]);
    expect(statuses.seen.at(-1)).toMatchObject({ sha: SHA, name: 'app/ship', state });
    expect(checks.runs).toMatchObject([{ head_sha: SHA, name: 'app/ship', status: 'completed', conclusion }]);
  },
);

test('the status and check run of a build that a newer one supersedes are completed', async () => {
  await begin(true, 'latest');
  await openStatusAndCheckRun();
  await scheduleBuild(NEXT_SHA);
  await sendDue();
  expect([statuses.leftOpen(), checks.leftOpen()]).toEqual([[], []]);
  expect(statuses.seen.at(-1)).toMatchObject({ sha: SHA, state: 'error' });
});

import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { openNotifications } from '#adapters/database/connection/notifications.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { Notifications } from '#flows/notification-ports.ts';
import { makeKeys, startGatewayProcess, type GatewayProcess } from '#testing/gateway/gateway-process.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  WEBHOOK_KEY,
  type TestStores,
} from '#testing/stores/stores.ts';

/*
 * Streams of two processes of the public gateway. The test kills one process, so this process cannot close
 * its streams or notify the other one.
 */
// The limit only ends tests that hang: a slow machine takes long to start processes.
jest.setTimeout(600_000);

const PASSWORD = 'correct horse';
const APP = '/teams/main/pipelines/app';
const BUILD = `${APP}/jobs/unit/builds/1`;

let stores: TestStores;
let notifications: Notifications & { close(): Promise<void> };
let keys: ReturnType<typeof makeKeys>;
let replicas: GatewayProcess[] = [];
let authorization = '';
let build: { build: number; attempt: number };
let lastSequence = 0;
const open: EventReader[] = [];

beforeAll(async () => {
  keys = makeKeys(WEBHOOK_KEY);
  stores = await openStores();
  notifications = openNotifications({ url: stores.url, pool: stores.pool });
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(
    toSave(samplePipeline({ jobs: [job('unit', getStep('git.app', { trigger: false }), task('test'))] })),
  );
  await recordFoundVersions(stores, saved, [{ ref: 'a1' }]);
  const hash = await (await argon2Passwords()).hash(PASSWORD);
  await stores.pool.query(rows()`
    WITH made AS (INSERT INTO users (username, password_hash) VALUES ('ann', ${hash}) RETURNING id)
    INSERT INTO team_members (team_id, user_id, role) SELECT teams.id, made.id, 'write' FROM teams, made`);
});
beforeEach(async () => {
  replicas = await Promise.all(
    ['gateway-0', 'gateway-1'].map((name) => startGatewayProcess(name, stores.url, keys.directory)),
  );
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.close();
  for (const replica of replicas) replica.kill('SIGKILL');
  await Promise.all(replicas.map(({ ended }) => ended));
});
afterAll(async () => {
  await notifications.close();
  await stores.close();
  keys.remove();
});

const replicaAt = (index: number): GatewayProcess => {
  const replica = replicas[index];
  if (replica === undefined) throw new Error(`no replica ${index}`);
  return replica;
};

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(`${replicaAt(0).base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization !== '' && { authorization }) },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  // A gateway that is busy, as after its start, refuses requests.
  if (answer.status === 503) {
    await sleep(100);
    return await post(path, body);
  }
  const { data = {} }: { data?: Record<string, unknown> } = JSON.parse(text);
  if (!answer.ok) throw new Error(`${path}: ${answer.status}\n${replicaAt(0).log()}`);
  return data;
}

async function startBuild(): Promise<void> {
  authorization = `Bearer ${String((await post('/auth/login', { username: 'ann', password: PASSWORD }))['token'])}`;
  await post(`${APP}/jobs/unit/trigger`, {});
  await giveTurns(stores);
  const [started] = await stores.builds.buildsToStart(10);
  if (started === undefined) throw new Error('no build to start');
  await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
  build = { build: started.id, attempt: started.attempt };
}

type EventToSend = BuildEvent extends infer E
  ? E extends BuildEvent
    ? Omit<E, 'sequence' | 'at'>
    : never
  : never;
const END: EventToSend = {
  type: 'build-ended',
  outcome: 'succeeded',
  reason: 'AllStepsSucceeded',
  message: 'All.',
};

async function sendEvent(event: EventToSend): Promise<void> {
  lastSequence += 1;
  const numbered = { ...event, at: new Date().toISOString(), sequence: lastSequence };
  await followBuild(build, [numbered], { builds: stores.builds, notifications });
}

/** Reports lines of a log as the agent does, whatever happens to the gateways. Returns their text. */
async function reportLines(from: number, count: number): Promise<string> {
  const lines = Array.from({ length: count }, (_, index) => `line ${from + index}\n`);
  for (const text of lines) await sendEvent({ type: 'log', step: '1', text });
  return lines.join('');
}

/** A viewer of the build who stores the log, and the id of its last chunk for when they reconnect. */
function openViewer() {
  const viewer = {
    text: '',
    lastId: '0',
    states: [] as string[],
    async follow(replica: number): Promise<EventReader> {
      const headers = { authorization, 'last-event-id': viewer.lastId };
      const reader = await readEvents(
        `${replicaAt(replica).base}${BUILD}/events`,
        headers,
        ({ name, id, data }) => {
          if (name === 'build') viewer.states.push(data);
          if (name !== 'log') return;
          const chunk: { text: string } = JSON.parse(data);
          viewer.text += chunk.text;
          viewer.lastId = id ?? viewer.lastId;
        },
      );
      open.push(reader);
      return reader;
    },
  };
  return viewer;
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

test('viewers of a log continue at another replica, without a line lost or repeated', async () => {
  await startBuild();
  const [moving, staying, late] = [openViewer(), openViewer(), openViewer()];
  const cutStream = await moving.follow(0);
  await staying.follow(1);
  const firstLines = reportLines(0, 200);
  // The process is killed while the agent reports lines.
  await until(() => moving.text.includes('line 20\n'));
  replicaAt(0).kill('SIGKILL');
  expect(await replicaAt(0).ended).toBeNull();
  await cutStream.over;
  let log = await firstLines;
  log += await reportLines(200, 100);
  const newStream = await moving.follow(1);
  await until(() => moving.text.includes('line 299\n'));
  log += await reportLines(300, 100);
  const lateStream = await late.follow(1);
  for (const step of ['0', '1']) {
    await sendEvent({ type: 'step-started', step });
    await sendEvent({ type: 'step-ended', step, status: 'succeeded', exitCode: 0 });
  }
  await sendEvent(END);
  await Promise.all([newStream.over, lateStream.over]);
  await until(() => staying.text.length === log.length);
  expect(moving.text).toBe(log);
  expect(staying.text).toBe(log);
  expect(late.text).toBe(log);
  expect(newStream.events.at(-1)).toMatchObject({ name: 'end', data: '{"complete":true}' });
  expect(moving.states.at(-1)).toContain('"status":"succeeded"');
});

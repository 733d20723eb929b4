import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * The stream of overviews, over two replicas with one Postgres: people act at the first, viewers use the
 * second.
 */
const QUICK = { recheckMs: 50, heartbeatMs: 200, maxWaitMs: 5000, perAccount: 4 };

let stores: TestStores;
let first: Gateway;
let second: Gateway;
let ann: string;
const open: EventReader[] = [];

beforeAll(async () => {
  stores = await openStores();
  first = await openGateway(stores, { limits: QUICK });
  second = await openGateway(stores, { limits: QUICK });
});
beforeEach(async () => {
  await stores.empty();
  for (const team of ['main', 'web']) {
    await stores.teams.saveTeam({ name: team, namespace: team });
    await stores.pipelines.savePipeline(
      toSave(samplePipeline(), { team, pipeline: `${team}-app`, namespace: team, uid: team }),
    );
  }
  await first.account('ann', { teams: { main: 'write' } });
  await first.account('root', { globalAdmin: true });
  ann = await first.session('ann');
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await Promise.all([first.close(), second.close()]);
  await stores.close();
});

async function read(as: string, query = ''): Promise<EventReader> {
  const reader = await readEvents(`${second.base}/overview/events${query}`, {
    authorization: `Bearer ${as}`,
  });
  open.push(reader);
  return reader;
}

interface OverviewEvent {
  teams?: { name: string; role?: string }[];
  pipelines?: { name: string; status: string }[];
}
/** The events of a stream, each as a text with its name, teams and pipelines. */
const received = (reader: EventReader): string[] =>
  reader.events.map(({ name, data }) => {
    const { teams = [], pipelines = [] }: OverviewEvent = JSON.parse(data);
    return [
      name,
      ...teams.map((team) => `${team.name}:${team.role ?? ''}`),
      ...pipelines.map((pipeline) => `${pipeline.name}=${pipeline.status}`),
    ].join(' ');
  });

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

test('a member gets the pipelines of their teams, and changes made at another replica', async () => {
  const reader = await read(ann);
  await until(() => received(reader).length === 2);
  expect([reader.status, received(reader)]).toEqual([200, ['teams main:write', 'team main-app=idle']]);
  await first.ask('POST /teams/main/pipelines/main-app/pause', { as: ann });
  await until(() => received(reader).length === 3);
  expect(received(reader).at(-1)).toBe('changes main-app=paused');
});

test('a global admin gets all teams, or only the team that they ask for', async () => {
  const root = await first.session('root');
  const [allTeams, oneTeam] = [await read(root), await read(root, '?team=web')];
  await until(() => received(allTeams).length === 3 && received(oneTeam).length === 2);
  expect(received(allTeams).toSorted()).toEqual([
    'team main-app=idle',
    'team web-app=idle',
    'teams main: web:',
  ]);
  expect(received(oneTeam)).toEqual(['teams web:', 'team web-app=idle']);
  const absent = await read(root, '?team=none');
  expect(absent.status).toBe(404);
});

test('no changes of another team arrive', async () => {
  const reader = await read(ann);
  await until(() => received(reader).length === 2);
  const root = await first.session('root');
  await first.ask('POST /teams/web/pipelines/web-app/pause', { as: root });
  await first.ask('POST /teams/main/pipelines/main-app/pause', { as: root });
  await until(() => received(reader).length === 3);
  expect(received(reader).join('\n')).not.toContain('web');
});

test.each<[string, () => Promise<{ as?: string; query?: string }>, number]>([
  ['a client without credentials', async () => ({}), 401],
  ['a member of another team', async () => ({ as: ann, query: '?team=web' }), 403],
  [
    'a token for a team',
    async () => ({
      as: await first.token(ann, { name: 'x', personal: false, team_canonical: 'main', role: 'read' }),
    }),
    403,
  ],
])('%s gets a problem', async (_name, prepare, status) => {
  const { as, query = '' } = await prepare();
  const answer = await second.ask(`GET /overview/events${query}`, { as });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([
    status,
    'application/problem+json; charset=utf-8',
  ]);
});

test.each<[string, () => Promise<unknown>]>([
  ['their role', async () => await stores.pool.query(rows()`DELETE FROM team_members`)],
  ['their session', async () => await first.ask('POST /auth/logout', { as: ann })],
])('the stream ends for someone who loses %s', async (_name, lose) => {
  const reader = await read(ann);
  await until(() => received(reader).length === 2);
  await lose();
  await reader.over;
  expect(reader.events.at(-1)?.name).toBe('closed');
});

test('the stream ends for an admin who is demoted', async () => {
  const reader = await read(await first.session('root'));
  await until(() => received(reader).length === 3);
  await stores.pool.query(rows()`UPDATE users SET global_admin = false`);
  await reader.over;
  expect(reader.events.at(-1)?.name).toBe('closed');
});

test('the streams of a person are limited', async () => {
  for (let times = 0; times < QUICK.perAccount; times += 1) await read(ann);
  expect((await read(ann)).status).toBe(429);
});

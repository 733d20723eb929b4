import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* Which streams non-members can follow, when the streams end, and how often the public may send requests. */
const QUICK = { recheckMs: 50 };
const FEW = { publicPerAddress: 3, publicTotal: 4 };

let stores: TestStores;
let gateway: Gateway;
let ann: string;
let app = '';
const open: EventReader[] = [];
let teamCount = 0;
let team = '';

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { limits: QUICK });
});
beforeEach(async () => {
  await stores.empty();
  // The team has another name in each test, so that no answer is cached.
  teamCount += 1;
  team = `main-${teamCount}`;
  app = `/teams/${team}/pipelines/app`;
  await stores.teams.saveTeam({ name: team, namespace: team });
  await savePipeline(true);
  await gateway.account('ann', { teams: { [team]: 'write' } });
  ann = await gateway.session('ann');
});
afterEach(async () => {
  for (const reader of open.splice(0)) reader.close();
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

const savePipeline = async (isPublic: boolean) =>
  await stores.pipelines.savePipeline(toSave(samplePipeline(), { team, namespace: team, public: isPublic }));

async function follow(
  as?: string,
  headers: Record<string, string> = {},
  { base } = gateway,
): Promise<EventReader> {
  const credentials = as === undefined ? {} : { authorization: `Bearer ${as}` };
  const reader = await readEvents(`${base}${app}/events`, { ...credentials, ...headers });
  open.push(reader);
  return reader;
}
const pausedIn = (reader: EventReader): boolean[] =>
  reader.events
    .filter(({ name }) => name === 'pipeline')
    .map(({ data }) => {
      const { jobs }: { jobs: { paused: boolean }[] } = JSON.parse(data);
      return jobs[0]?.paused === true;
    });
const lastEvent = ({ events }: EventReader) => events.at(-1);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

describe('the stream of a public pipeline for non-members', () => {
  test('reports each change with fewer fields than to members, and resumes after the last event', async () => {
    const [ofNonMember, ofMember] = [await follow(), await follow(ann)];
    await until(() => pausedIn(ofNonMember).length === 1 && pausedIn(ofMember).length === 1);
    const state: { pipeline: object } = JSON.parse(lastEvent(ofNonMember)?.data ?? '');
    expect(Object.keys(state.pipeline)).not.toContain('revision');
    expect(lastEvent(ofMember)?.data).toContain('"revision"');
    await gateway.ask(`POST ${app}/jobs/unit/pause`, { as: ann });
    await until(() => pausedIn(ofNonMember).at(-1) === true);
    const again = await follow(undefined, { 'last-event-id': lastEvent(ofNonMember)?.id ?? '' });
    await gateway.ask(`POST ${app}/jobs/unit/unpause`, { as: ann });
    await until(() => pausedIn(again).length > 0);
    expect(pausedIn(again)).toEqual([false]);
  });

  test('ends when the pipeline becomes private, and continues for members', async () => {
    const [ofNonMember, ofMember] = [await follow(), await follow(ann)];
    await until(() => pausedIn(ofNonMember).length === 1 && pausedIn(ofMember).length === 1);
    await savePipeline(false);
    await ofNonMember.over;
    expect(lastEvent(ofNonMember)).toMatchObject({ name: 'closed' });
    expect(pausedIn(ofNonMember)).toHaveLength(1);
    await gateway.ask(`POST ${app}/jobs/unit/pause`, { as: ann });
    await until(() => pausedIn(ofMember).at(-1) === true);
    // The gateway may cache for a second whether a pipeline is public.
    while ((await follow()).status !== 404) await sleep(50);
  });

  test('ends with the same event if the pipeline becomes private or is deleted', async () => {
    const [first, second] = [await follow(), await follow()];
    await until(() => pausedIn(first).length === 1 && pausedIn(second).length === 1);
    await savePipeline(false);
    await first.over;
    await savePipeline(true);
    let third = await follow();
    while (third.status !== 200) {
      await sleep(50);
      third = await follow();
    }
    await until(() => pausedIn(third).length === 1);
    await stores.pool.query(rows()`UPDATE pipelines SET deleted_at = now()`);
    await third.over;
    expect(lastEvent(third)).toEqual(lastEvent(first));
  });

  test('continues for someone who was removed from the team, while the stream for members ends', async () => {
    const member = await follow(ann);
    await until(() => pausedIn(member).length === 1);
    await stores.pool.query(rows()`DELETE FROM team_members`);
    await member.over;
    expect(lastEvent(member)).toMatchObject({
      name: 'closed',
      data: expect.stringContaining('You may no longer'),
    });
    const nonMember = await follow(ann);
    await until(() => pausedIn(nonMember).length === 1);
    expect(lastEvent(nonMember)?.data).not.toContain('"revision"');
    // With both streams open, the member's stream ends and the other one continues.
    await stores.pool.query(rows()`
      INSERT INTO team_members (team_id, user_id, role) SELECT t.id, u.id, 'read' FROM teams t, users u
        WHERE t.name = ${team}`);
    const again = await follow(ann);
    await until(() => pausedIn(again).length === 1);
    expect(lastEvent(again)?.data).toContain('"revision"');
    await stores.pool.query(rows()`DELETE FROM team_members`);
    await again.over;
    await stores.actions.pauseJob({ team, pipeline: 'app', job: 'unit' }, 'somebody');
    await until(() => pausedIn(nonMember).at(-1) === true);
  });
});

describe('requests of the public', () => {
  test('open a limited number of streams for each address and altogether, and members can still open one', async () => {
    const crowded = await openGateway(stores, { limits: FEW });
    try {
      const followFrom = async (address: string, as?: string) =>
        await follow(as, { 'x-forwarded-for': address }, crowded);
      for (let times = 0; times < FEW.publicPerAddress; times += 1) await followFrom(`2001:db8::${times}`);
      const tooMany = await followFrom('2001:db8::ffff');
      expect([tooMany.status, tooMany.headers['retry-after']]).toEqual([429, '30']);
      expect((await followFrom('192.0.2.1')).status).toBe(200);
      expect((await followFrom('192.0.2.2')).status).toBe(503);
      expect((await followFrom('2001:db8::1', ann)).status).toBe(200);
    } finally {
      await crowded.close();
    }
  });

  test('have a rate limit that does not apply to members and counts images separately', async () => {
    const limited = await openGateway(stores, {
      publicRateLimits: { burst: 3, perSecond: 0.001, addresses: 100 },
    });
    try {
      const ask = async (path: string, address: string, as?: string, accept = 'application/json') =>
        await limited.ask(`GET ${path}`, { as, headers: { 'x-forwarded-for': address, accept } });
      for (const [path, address] of [
        [app, '192.0.2.1'],
        ['/teams/none/pipelines/none', '192.0.2.2'],
      ] as const) {
        const statuses = [];
        for (const more of ['', '/jobs', '/resources', '/jobs', '/events'])
          statuses.push((await ask(`${path}${more}`, address)).status);
        const allowed = path === app ? 200 : 404;
        expect(statuses).toEqual([allowed, allowed, allowed, 429, 429]);
      }
      const refused = await ask(app, '192.0.2.1');
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      expect((await ask(app, '192.0.2.1', undefined, 'text/html')).status).toBe(429);
      expect((await ask(app, '192.0.2.1', ann)).status).toBe(200);
      expect((await ask(`${app}/public`, '192.0.2.1')).status).toBe(429);
      const pictures = [];
      for (const more of ['/badge.svg', '/badge.svg', '/badge.svg', '/badge.svg', '/image.svg'])
        pictures.push((await ask(`${app}${more}`, '192.0.2.1', undefined, '*/*')).status);
      expect(pictures).toEqual([200, 200, 200, 429, 429]);
      expect((await ask(`${app}/image.dot`, '192.0.2.1', ann, '*/*')).status).toBe(200);
      const views = [];
      for (let count = 0; count < 4; count += 1) views.push((await ask(`${app}/public`, '192.0.2.3')).status);
      expect(views).toEqual([200, 200, 200, 429]);
    } finally {
      await limited.close();
    }
  });
});

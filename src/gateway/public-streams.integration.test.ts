import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { readEvents, type EventReader } from '#testing/http/event-reader.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

/* What non-members can follow, for how long, and how often they may request it. */
const QUICK = { recheckMs: 50 };
const FEW = { publicPerAddress: 3, publicTotal: 4 };

let stores: TestStores;
let gateway: Gateway;
let ann: string;
let app = '';
const open: EventReader[] = [];
let teams = 0;
let team = '';

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { limits: QUICK });
});
beforeEach(async () => {
  await stores.empty();
  // Another name each time, so that nothing is cached.
  team = `main-${(teams += 1)}`;
  app = `/teams/${team}/pipelines/app`;
  await stores.teams.saveTeam({ name: team, namespace: team });
  await save(true);
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

const save = async (isPublic: boolean) =>
  await stores.pipelines.savePipeline(toSave(samplePipeline(), { team, namespace: team, public: isPublic }));

async function follow(
  as?: string,
  more: Record<string, string> = {},
  { base } = gateway,
): Promise<EventReader> {
  const shown = as === undefined ? {} : { authorization: `Bearer ${as}` };
  const reader = await readEvents(`${base}${app}/events`, { ...shown, ...more });
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
const last = ({ events }: EventReader) => events.at(-1);

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(10);
}

describe('the stream of a public pipeline for non-members', () => {
  test('reports each change in its own shape, and resumes where it was', async () => {
    const [theirs, ours] = [await follow(), await follow(ann)];
    await until(() => pausedIn(theirs).length === 1 && pausedIn(ours).length === 1);
    const state: { pipeline: object } = JSON.parse(last(theirs)?.data ?? '');
    expect(Object.keys(state.pipeline)).not.toContain('revision');
    expect(last(ours)?.data).toContain('"revision"');
    await gateway.ask(`POST ${app}/jobs/unit/pause`, { as: ann });
    await until(() => pausedIn(theirs).at(-1) === true);
    const again = await follow(undefined, { 'last-event-id': last(theirs)?.id ?? '' });
    await gateway.ask(`POST ${app}/jobs/unit/unpause`, { as: ann });
    await until(() => pausedIn(again).length > 0);
    expect(pausedIn(again)).toEqual([false]);
  });

  test('ends when the pipeline becomes private, and continues for members', async () => {
    const [theirs, ours] = [await follow(), await follow(ann)];
    await until(() => pausedIn(theirs).length === 1 && pausedIn(ours).length === 1);
    await save(false);
    await theirs.over;
    expect(last(theirs)).toMatchObject({ name: 'closed' });
    expect(pausedIn(theirs)).toHaveLength(1);
    await gateway.ask(`POST ${app}/jobs/unit/pause`, { as: ann });
    await until(() => pausedIn(ours).at(-1) === true);
    // Whether it is public may be cached for a second.
    while ((await follow()).status !== 404) await sleep(50);
  });

  test('reports that the pipeline was deleted, as for members', async () => {
    const [one, other] = [await follow(), await follow()];
    await until(() => pausedIn(one).length === 1 && pausedIn(other).length === 1);
    await save(false);
    await one.over;
    await save(true);
    let third = await follow();
    while (third.status !== 200) {
      await sleep(50);
      third = await follow();
    }
    await until(() => pausedIn(third).length === 1);
    await stores.pool.query(rows()`UPDATE pipelines SET deleted_at = now()`);
    await third.over;
    expect(last(third)).toEqual(last(one));
  });

  test('stays open when a member with the same credential is removed', async () => {
    const member = await follow(ann);
    await until(() => pausedIn(member).length === 1);
    await stores.pool.query(rows()`DELETE FROM team_members`);
    await member.over;
    expect(last(member)).toMatchObject({
      name: 'closed',
      data: expect.stringContaining('You may no longer'),
    });
    const nonMember = await follow(ann);
    await until(() => pausedIn(nonMember).length === 1);
    expect(last(nonMember)?.data).not.toContain('"revision"');
    // Both at once: the member's stream ends, the other continues.
    await stores.pool.query(rows()`
      INSERT INTO team_members (team_id, user_id, role) SELECT t.id, u.id, 'read' FROM teams t, users u
        WHERE t.name = ${team}`);
    const again = await follow(ann);
    await until(() => pausedIn(again).length === 1);
    expect(last(again)?.data).toContain('"revision"');
    await stores.pool.query(rows()`DELETE FROM team_members`);
    await again.over;
    await stores.actions.pauseJob({ team, pipeline: 'app', job: 'unit' }, 'somebody');
    await until(() => pausedIn(nonMember).at(-1) === true);
  });
});

describe('requests of the public', () => {
  test('open a limited number of streams for each address and in all, and leave room for members', async () => {
    const crowded = await openGateway(stores, { limits: FEW });
    try {
      const at = async (address: string, as?: string) =>
        await follow(as, { 'x-forwarded-for': address }, crowded);
      for (let times = 0; times < FEW.publicPerAddress; times += 1) await at(`2001:db8::${times}`);
      const many = await at('2001:db8::ffff');
      expect([many.status, many.headers['retry-after']]).toEqual([429, '30']);
      expect((await at('192.0.2.1')).status).toBe(200);
      expect((await at('192.0.2.2')).status).toBe(503);
      expect((await at('2001:db8::1', ann)).status).toBe(200);
    } finally {
      await crowded.close();
    }
  });

  test('have a rate limit that excludes members and counts images apart', async () => {
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
        const good = path === app ? 200 : 404;
        expect(statuses).toEqual([good, good, good, 429, 429]);
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

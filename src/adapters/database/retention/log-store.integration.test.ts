import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { limitLogs } from '#flows/builds/limit-logs.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

const UNIT = { pipeline: 'app', job: 'unit' };
let stores: TestStores;
let saved: Record<string, SavedPipeline>;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  saved = {};
  for (const team of ['greedy', 'good']) {
    await stores.teams.saveTeam({ name: team, namespace: team });
    const pipeline = { ...toSave(samplePipeline()), team, namespace: team, uid: team };
    saved[team] = await stores.pipelines.savePipeline(pipeline);
  }
});

/** Makes a build with a log for each version. */
async function makeBuilds(team: string, ...refs: string[]): Promise<void> {
  const pipeline = saved[team];
  if (pipeline === undefined) throw new Error(team);
  const versions = refs.map((ref) => ({ ref }));
  await recordFoundVersions(stores, pipeline, versions);
  await scheduleOn(stores, pipeline.id, new Date());
  await succeed(stores, 'unit');
}

async function buildsWithLogs(team: string): Promise<string[]> {
  const builds = (await stores.views.builds({ ...UNIT, team }, { limit: 200 }))?.rows ?? [];
  const lengths = await Promise.all(
    builds.map(async ({ number }) => ({
      number,
      chunks: (await stores.views.logs({ ...UNIT, team, number }, 0))?.chunks.length ?? 0,
    })),
  );
  return lengths
    .filter(({ chunks }) => chunks > 0)
    .map(({ number }) => number)
    .toReversed();
}

test('the stored size of a log counts until it is removed', async () => {
  await makeBuilds('greedy', 'a', 'b');
  const stored = await stores.pool.oneFirst(rows<{ bytes: number }>()`
    SELECT sum(octet_length(content) + 150) AS bytes FROM build_logs`);
  expect(stored).toBeGreaterThan(0);
  expect(await stores.logs.logBytes('greedy')).toBe(stored);
  expect(await stores.logs.logBytes('good')).toBe(0);
  await stores.logs.removeOldestLogs('greedy', 0);
  expect(await stores.logs.logBytes('greedy')).toBe(0);
});

test("the oldest logs of a team over its limit are deleted; its builds and other teams' logs stay", async () => {
  await makeBuilds('good', 'a');
  await makeBuilds('greedy', 'a', 'b', 'c', 'd');
  const limit = (await stores.logs.logBytes('greedy')) / 2;
  const teams = [
    { team: 'greedy', limit },
    { team: 'good', limit },
  ];
  const { fills, removed, failures } = await limitLogs(teams, stores.logs);
  expect([fills.get('greedy'), removed, failures]).toEqual(['full', new Map([['greedy', 2]]), []]);
  expect([await buildsWithLogs('greedy'), await buildsWithLogs('good')]).toEqual([['3', '4'], ['1']]);
  expect((await stores.views.builds({ ...UNIT, team: 'greedy' }, { limit: 200 }))?.rows).toHaveLength(4);
  const first = { ...UNIT, team: 'greedy', number: '1' };
  expect(await stores.views.logs(first, 0)).toMatchObject({ chunks: [], complete: true, removed: true });
  expect(await stores.views.logs({ ...first, number: '4' }, 0)).not.toHaveProperty('removed');
  const again = await limitLogs(teams, stores.logs);
  expect([again.fills.get('greedy'), again.removed.size]).toEqual(['near', 0]);
});

test('the log of a running build stays', async () => {
  await makeBuilds('greedy', 'a', 'b');
  await stores.pool.query(rows()`UPDATE builds SET ended_at = NULL, status = 'started' WHERE number = 1`);
  expect(await stores.logs.removeOldestLogs('greedy', 0)).toBe(1);
  expect(await buildsWithLogs('greedy')).toEqual(['1']);
});

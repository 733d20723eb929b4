import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { retainHistory, retainNext } from '#flows/retention/retain-history.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { found, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';
import { MAX_UNUSED_REVISIONS } from './retain-revisions.ts';
import { retentionStore } from './retention-store.ts';

const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
const GIT = { ...APP, resource: 'git.app' };
const DAY = 86_400_000;
/** Checks of the test lie a year ahead. */
const FOUND = 365;
let stores: TestStores;
let saved: SavedPipeline;
/** Days by which the clock of the test is ahead. */
let days: number;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  // Jobs and resources have their first turn some hours after they were made.
  days = 1;
  await keep({ builds: 2, days: 30 });
  saved = await stores.pipelines.savePipeline(toSave(waitingPipeline()));
});

/** Its second job keeps its first queued build: nothing takes its place. */
function waitingPipeline(): Pipeline {
  const pipeline = samplePipeline();
  return { ...pipeline, jobs: pipeline.jobs.map((one) => ({ ...one, supersede: false })) };
}

const keep = async (retention: { builds?: number; days?: number; minimumSucceeded?: number }) =>
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', retention });
const now = (): Date => new Date(Date.now() + days * DAY);
const schedule = async () => await scheduleOn(stores, saved.id, new Date());
const tidy = async () => {
  const { removed } = await retainHistory({ retention: stores.retention, now, elapsed: () => 0 });
  return removed;
};
const numbers = async (name = UNIT): Promise<string[]> =>
  ((await stores.views.builds(name, { limit: 200 }))?.rows ?? []).map(({ number }) => number).toReversed();
const log = async (number: string): Promise<number> =>
  (await stores.views.logs({ ...UNIT, number }, 0))?.chunks.length ?? 0;

/** A build of `unit` for each. */
async function built(...refs: string[]): Promise<number[]> {
  const versions: number[] = [];
  for (const ref of refs) {
    versions.push(...(await found(stores, saved, [{ ref }])));
    await schedule();
    await succeed(stores, 'unit');
  }
  return versions;
}

/** Rows that hang on builds which are no more. */
async function leftovers(): Promise<number> {
  return await stores.pool.oneFirst(rows<{ count: number }>()`
    SELECT (SELECT count(*) FROM build_steps s WHERE NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = s.build_id))
      + (SELECT count(*) FROM build_logs l WHERE NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = l.build_id))
      + (SELECT count(*) FROM good_versions g WHERE NOT EXISTS (SELECT 1 FROM builds b
      WHERE b.id = g.build_id)) AS count`);
}

describe('builds', () => {
  test('old builds are deleted with all their rows, and their versions are not built again', async () => {
    await built('a', 'b', 'c', 'd');
    expect(await tidy()).toMatchObject({ builds: 2 });
    expect(await numbers()).toEqual(['3', '4']);
    expect(await leftovers()).toBe(0);
    await stores.pool.query(rows()`UPDATE job_gets SET settled = 0`);
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    expect((await schedule()).builds.filter((made) => made.job === 'unit')).toEqual([]);
    await built('e');
    expect(await numbers()).toEqual(['3', '4', '5']);
  });

  test('builds of a job whose retention has just run stay until the next run', async () => {
    await built('a', 'b', 'c');
    expect(await tidy()).toMatchObject({ builds: 1 });
    await built('d');
    expect(await tidy()).toMatchObject({ builds: 0 });
    days = 2;
    expect(await tidy()).toMatchObject({ builds: 1 });
    expect(await numbers()).toEqual(['3', '4']);
  });

  test('builds that a pin needs stay, without their logs', async () => {
    const [pinned = 0] = await built('a', 'b', 'c', 'd');
    await stores.pool.query(rows()`UPDATE resources SET pinned_version = ${pinned} WHERE name = 'git.app'`);
    expect(await log('1')).toBeGreaterThan(0);
    expect(await tidy()).toMatchObject({ builds: 1, logs: 1 });
    expect(await numbers()).toEqual(['1', '3', '4']);
    expect([await log('1'), (await log('3')) > 0]).toEqual([0, true]);
  });

  test('running and waiting builds stay, however many there are', async () => {
    await found(stores, saved, [{ ref: 'a' }]);
    await schedule();
    for (let more = 0; more < 4; more += 1) await triggerOn(stores, UNIT, 'ann', new Date());
    days = 400;
    expect(await tidy()).toMatchObject({ builds: 0 });
    expect(await numbers()).toHaveLength(5);
  });

  test('builds behind more than one transaction reads are deleted, too', async () => {
    await found(stores, saved, [{ ref: 'a' }]);
    for (let made = 0; made < 104; made += 1) await triggerOn(stores, UNIT, 'ann', new Date());
    await succeed(stores, 'unit');
    await stores.pool.query(rows()`
      UPDATE builds SET status = 'started', ended_at = NULL WHERE number <= 101`);
    expect(await tidy()).toMatchObject({ builds: 1 });
    expect((await numbers()).slice(-3)).toEqual(['101', '103', '104']);
  });

  test('builds that a downstream job still needs stay, so passed works as before', async () => {
    const both = samplePipeline({
      jobs: [
        job('unit', get('git.app', { trigger: false }), task('test')),
        job('lint', get('git.app'), task('lint')),
        job('publish', get('git.app', { passed: ['unit', 'lint'], trigger: false }), task('push')),
      ],
    });
    saved = await stores.pipelines.savePipeline(toSave(both));
    const [common = 0] = await found(stores, saved, [{ ref: 'common' }]);
    await triggerOn(stores, UNIT, 'ann', new Date());
    await succeed(stores, 'unit');
    // `lint` continues, `unit` does not: the newest version that both have is an old one of `lint`.
    for (const ref of ['b', 'c', 'd', 'e']) {
      await schedule();
      await succeed(stores, 'lint');
      await found(stores, saved, [{ ref }]);
    }
    await schedule();
    await succeed(stores, 'lint');
    expect(await numbers({ ...APP, job: 'lint' })).toHaveLength(5);
    await tidy();
    expect(await numbers({ ...APP, job: 'lint' })).toEqual(['1', '4', '5']);
    const answer = await triggerOn(stores, { ...APP, job: 'publish' }, 'ann', new Date());
    expect(answer).toMatchObject({ answer: 'created' });
    expect((await stores.views.build({ ...APP, job: 'publish', number: '1' }))?.inputs).toMatchObject([
      { version: common },
    ]);
  });

  test('the newest good build stays for years unless the team retains none', async () => {
    await built('a', 'b', 'c');
    days = 4000;
    expect(await tidy()).toMatchObject({ builds: 2 });
    expect(await numbers()).toEqual(['3']);
    await keep({ builds: 2, days: 30, minimumSucceeded: 0 });
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [job('unit', get('git.app'))] })));
    days = 4001;
    await tidy();
    expect(await numbers()).toEqual([]);
  });

  test('a hundred builds stay unless a team says otherwise', async () => {
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    await built('a', 'b', 'c');
    expect(await tidy()).toMatchObject({ builds: 0 });
  });

  test('builds are deleted once, even if the process dies at any statement and another takes over', async () => {
    await built('a', 'b', 'c', 'd', 'e', 'f');
    let deaths = 0;
    for (let statement = 1; ; statement += 1) {
      const dying = retentionStore({ pool: dyingAt(statement) });
      const end = await retainNext(dying, now()).catch((error: unknown) => error);
      if (!(end instanceof Error)) break;
      expect(end.message).toBe('killed');
      expect(await numbers()).toHaveLength(6);
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(10);
    expect(await numbers()).toEqual(['5', '6']);
    expect(await leftovers()).toBe(0);
  });

  test('builds are deleted once, even if two processes do it at once', async () => {
    await built('a', 'b', 'c', 'd', 'e', 'f');
    const both = await Promise.all([tidy(), tidy()]);
    expect(both.reduce((sum, { builds }) => sum + builds, 0)).toBe(4);
    expect(await numbers()).toEqual(['5', '6']);
  });
});

const definitions = async (): Promise<readonly number[]> =>
  await stores.pool.anyFirst(rows<{ number: number }>()`SELECT number FROM revisions ORDER BY number`);

/** Another definition of the pipeline, with one job; answers the number of its revision. */
async function change(): Promise<number> {
  const digest = String(await definitions());
  const again = toSave(samplePipeline({ jobs: [job('unit', get('git.app'), task('test'))] }), { digest });
  saved = await stores.pipelines.savePipeline(again);
  return saved.revision;
}

describe('definitions', () => {
  test('definitions replaced long ago are deleted once no build names them', async () => {
    await change();
    await built('a');
    for (let more = 0; more < 2; more += 1) await change();
    await built('b');
    expect(await change()).toBe(5);
    days = 6;
    await tidy();
    expect(await definitions()).toEqual([1, 2, 3, 4, 5]);
    days = 8;
    expect(await tidy()).toMatchObject({ builds: 0, records: 2 });
    expect(await definitions()).toEqual([2, 4, 5]);
    await keep({ builds: 1, days: 30 });
    // Records of checks are stored for a week, and those of this test are in the future.
    await stores.pool.query(rows()`UPDATE check_runs SET revision_id = NULL`);
    days = 9;
    expect(await tidy()).toMatchObject({ builds: 1, records: 1 });
    expect(await definitions()).toEqual([4, 5]);
  });

  test('definitions that nothing names are limited in number, however often a pipeline changes', async () => {
    await built('a');
    for (let more = 0; more < MAX_UNUSED_REVISIONS + 5; more += 1) await change();
    const left = await definitions();
    // The first has a build.
    expect(left.slice(0, 2)).toEqual([1, 6]);
    expect(left).toHaveLength(MAX_UNUSED_REVISIONS + 2);
  });

  test('definitions that run or that a retry would use stay', async () => {
    await built('a');
    await change();
    days = 400;
    await tidy();
    expect(await definitions()).toEqual([1, 2]);
    const ref = { ...UNIT, number: '1' };
    const again = await stores.actions.retryBuild(ref, 'ann');
    expect(again).toMatchObject({ answer: 'done' });
  });

  test('definitions that a check run names stay', async () => {
    await startCheck();
    await change();
    days = 8;
    await tidy();
    expect(await definitions()).toEqual([1, 2]);
  });
});

/** A check that continues. */
async function startCheck(): Promise<void> {
  await stores.checks.requestCheck(GIT, 'manual', new Date());
  const [due] = await stores.checks.dueChecks(new Date(), 1);
  expect(await stores.checks.openRun([due?.scope ?? 0], 'manual', new Date())).toBeDefined();
}

/** Connections of a process that is killed when it comes to this statement of a transaction. */
function dyingAt(statement: number): DatabasePool {
  return new Proxy(stores.pool, {
    get(pool, name) {
      if (name !== 'transaction') return Reflect.get(pool, name);
      return async (act: (connection: Transaction) => Promise<unknown>) =>
        await pool.transaction(async (connection) => {
          let count = 0;
          const mortal = new Proxy(connection, {
            get(target, method) {
              const real: unknown = Reflect.get(target, method);
              if (typeof real !== 'function') return real;
              return (...given: unknown[]): unknown => {
                count += 1;
                if (count === statement) throw new Error('killed');
                return Reflect.apply(real, target, given);
              };
            },
          });
          return await act(mortal);
        });
    },
  });
}

const shown = async (): Promise<string[]> =>
  ((await stores.views.versions(GIT, { limit: 200 }))?.rows ?? []).map(({ fields }) => fields['ref'] ?? '');

describe('versions', () => {
  test('versions that no build used are deleted after the days, and a check does not find them again', async () => {
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [] })));
    await found(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    days = FOUND + 31;
    expect(await tidy()).toMatchObject({ versions: 1 });
    // The next check continues from the newest version.
    expect(await shown()).toEqual(['b']);
    expect(await found(stores, saved, [{ ref: 'a' }])).toEqual([]);
    expect(await shown()).toEqual(['b']);
  });

  test('versions of a retained build stay', async () => {
    await built('a', 'b', 'c', 'd');
    days = FOUND + 31;
    await tidy();
    expect(await numbers()).toEqual(['4']);
    // The first one is in a build of `publish` that has not started.
    expect(await shown()).toEqual(['d', 'a']);
  });

  test('versions that still need a build stay', async () => {
    await found(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    days = FOUND + 31;
    expect(await tidy()).toMatchObject({ versions: 0 });
    expect((await schedule()).builds.map(({ number }) => number)).toEqual(['1', '2']);
  });
});

test('ended check runs and refused requests are deleted after a week', async () => {
  await triggerOn(stores, UNIT, 'ann', new Date());
  await found(stores, saved, [{ ref: 'a' }]);
  days = 6;
  expect(await tidy()).toMatchObject({ records: 0 });
  days = FOUND + 8;
  expect(await tidy()).toMatchObject({ records: 2 });
  expect(await tidy()).toMatchObject({ records: 0 });
});

test('an unused cascade of a triggered version is deleted after a month', async () => {
  const [version = 0] = await built('a');
  await schedule();
  await succeed(stores, 'publish');
  await triggerVersion(
    GIT,
    { version, by: 'ann' },
    { ...stores, notifications: { notify: () => undefined }, now: () => new Date() },
  );
  const following = async () =>
    await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM job_triggers WHERE follows`);
  days = 29;
  await tidy();
  expect(await following()).toBe(1);
  days = 31;
  expect(await tidy()).toMatchObject({ records: 1 });
  expect(await following()).toBe(0);
});

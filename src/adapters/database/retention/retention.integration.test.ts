import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { retainHistory, retainNext } from '#flows/retention/retain-history.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';
import { MAX_UNUSED_REVISIONS } from './retain-revisions.ts';
import { retentionStore } from './retention-store.ts';

const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
const GIT = { ...APP, resource: 'git.app' };
const DAY = 86_400_000;
/** How many days in the future the checks of this test are. */
const CHECK_DAYS = 365;
let stores: TestStores;
let saved: SavedPipeline;
/** Days by which the clock of the test is ahead. */
let days: number;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  // Jobs and resources have their first turn some hours after they were created.
  days = 1;
  await saveRetention({ builds: 2, days: 30 });
  saved = await stores.pipelines.savePipeline(toSave(pipelineWithoutSupersede()));
});

/** A pipeline whose jobs keep their queued builds: newer builds do not supersede them. */
function pipelineWithoutSupersede(): Pipeline {
  const pipeline = samplePipeline();
  return { ...pipeline, jobs: pipeline.jobs.map((sample) => ({ ...sample, supersede: false })) };
}

const saveRetention = async (retention: { builds?: number; days?: number; minimumSucceeded?: number }) =>
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', retention });
const now = (): Date => new Date(Date.now() + days * DAY);
const schedule = async () => await scheduleOn(stores, saved.id, new Date());
const retain = async () => {
  const retention = { ...stores.retention, now: async () => now() };
  const { removed } = await retainHistory({ retention, elapsed: () => 0 });
  return removed;
};
const numbers = async (name = UNIT): Promise<string[]> =>
  ((await stores.views.builds(name, { limit: 200 }))?.rows ?? []).map(({ number }) => number).toReversed();
const logChunks = async (number: string): Promise<number> =>
  (await stores.views.logs({ ...UNIT, number }, 0))?.chunks.length ?? 0;

/** Finds these versions and runs a build of `unit` for each. */
async function makeBuilds(...refs: string[]): Promise<number[]> {
  const versions: number[] = [];
  for (const ref of refs) {
    versions.push(...(await recordFoundVersions(stores, saved, [{ ref }])));
    await schedule();
    await succeed(stores, 'unit');
  }
  return versions;
}

/** Counts rows of builds that do not exist any more. */
async function orphanedRows(): Promise<number> {
  return await stores.pool.oneFirst(rows<{ count: number }>()`
    SELECT (SELECT count(*) FROM build_steps s WHERE NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = s.build_id))
      + (SELECT count(*) FROM build_logs l WHERE NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = l.build_id))
      + (SELECT count(*) FROM good_versions g WHERE NOT EXISTS (SELECT 1 FROM builds b
      WHERE b.id = g.build_id)) AS count`);
}

test('the time is that of the database, as a date', async () => {
  const ownClock = Date.now();
  expect(Math.abs((await stores.retention.now()).getTime() - ownClock)).toBeLessThan(60_000);
});

describe('builds', () => {
  test('old builds are deleted with all their rows, and their versions are not built again', async () => {
    await makeBuilds('a', 'b', 'c', 'd');
    expect(await retain()).toMatchObject({ builds: 2 });
    expect(await numbers()).toEqual(['3', '4']);
    expect(await orphanedRows()).toBe(0);
    await stores.pool.query(rows()`UPDATE job_gets SET settled = 0`);
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    expect((await schedule()).builds.filter((build) => build.job === 'unit')).toEqual([]);
    await makeBuilds('e');
    expect(await numbers()).toEqual(['3', '4', '5']);
  });

  test('builds of a job whose retention has just run stay until the next run', async () => {
    await makeBuilds('a', 'b', 'c');
    expect(await retain()).toMatchObject({ builds: 1 });
    await makeBuilds('d');
    expect(await retain()).toMatchObject({ builds: 0 });
    days = 2;
    expect(await retain()).toMatchObject({ builds: 1 });
    expect(await numbers()).toEqual(['3', '4']);
  });

  test('builds that a pin needs stay, without their logs', async () => {
    const [pinned = 0] = await makeBuilds('a', 'b', 'c', 'd');
    await stores.pool.query(rows()`UPDATE resources SET pinned_version = ${pinned} WHERE name = 'git.app'`);
    expect(await logChunks('1')).toBeGreaterThan(0);
    expect(await retain()).toMatchObject({ builds: 1, logs: 1 });
    expect(await numbers()).toEqual(['1', '3', '4']);
    expect([await logChunks('1'), (await logChunks('3')) > 0]).toEqual([0, true]);
  });

  test('running and waiting builds stay, however many there are', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    for (let count = 0; count < 4; count += 1) await triggerOn(stores, UNIT, 'ann', new Date());
    days = 400;
    expect(await retain()).toMatchObject({ builds: 0 });
    expect(await numbers()).toHaveLength(5);
  });

  test('old builds are deleted even if more builds are before them than one transaction reads', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    for (let count = 0; count < 104; count += 1) await triggerOn(stores, UNIT, 'ann', new Date());
    await succeed(stores, 'unit');
    await stores.pool.query(rows()`
      UPDATE builds SET status = 'started', ended_at = NULL WHERE number <= 101`);
    expect(await retain()).toMatchObject({ builds: 1 });
    expect((await numbers()).slice(-3)).toEqual(['101', '103', '104']);
  });

  test('builds that a downstream job still needs stay, so passed works as before', async () => {
    const withDownstream = samplePipeline({
      jobs: [
        job('unit', get('git.app', { trigger: false }), task('test')),
        job('lint', get('git.app'), task('lint')),
        job('publish', get('git.app', { passed: ['unit', 'lint'], trigger: false }), task('push')),
      ],
    });
    saved = await stores.pipelines.savePipeline(toSave(withDownstream));
    const [common = 0] = await recordFoundVersions(stores, saved, [{ ref: 'common' }]);
    await triggerOn(stores, UNIT, 'ann', new Date());
    await succeed(stores, 'unit');
    // `lint` runs more builds, `unit` does not: the newest version that passed both is in an old build of
    // `lint`.
    for (const ref of ['b', 'c', 'd', 'e']) {
      await schedule();
      await succeed(stores, 'lint');
      await recordFoundVersions(stores, saved, [{ ref }]);
    }
    await schedule();
    await succeed(stores, 'lint');
    expect(await numbers({ ...APP, job: 'lint' })).toHaveLength(5);
    await retain();
    expect(await numbers({ ...APP, job: 'lint' })).toEqual(['1', '4', '5']);
    const answer = await triggerOn(stores, { ...APP, job: 'publish' }, 'ann', new Date());
    expect(answer).toMatchObject({ answer: 'created' });
    expect((await stores.views.build({ ...APP, job: 'publish', number: '1' }))?.inputs).toMatchObject([
      { version: common },
    ]);
  });

  test('the newest good build stays for years unless the team retains none', async () => {
    await makeBuilds('a', 'b', 'c');
    days = 4000;
    expect(await retain()).toMatchObject({ builds: 2 });
    expect(await numbers()).toEqual(['3']);
    await saveRetention({ builds: 2, days: 30, minimumSucceeded: 0 });
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [job('unit', get('git.app'))] })));
    days = 4001;
    await retain();
    expect(await numbers()).toEqual([]);
  });

  test('a few new builds stay if the team sets no retention', async () => {
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    await makeBuilds('a', 'b', 'c');
    expect(await retain()).toMatchObject({ builds: 0 });
  });

  test('builds are deleted once, even if the process dies at any statement and another takes over', async () => {
    await makeBuilds('a', 'b', 'c', 'd', 'e', 'f');
    let deaths = 0;
    for (let statement = 1; ; statement += 1) {
      const dying = retentionStore({ pool: dyingAt(statement) });
      const end = await retainNext(dying, now()).catch((error: unknown) => error);
      if (!Error.isError(end)) break;
      expect(end.message).toBe('killed');
      expect(await numbers()).toHaveLength(6);
      deaths += 1;
    }
    expect(deaths).toBeGreaterThan(10);
    expect(await numbers()).toEqual(['5', '6']);
    expect(await orphanedRows()).toBe(0);
  });

  test('builds are deleted once, even if two processes do it at once', async () => {
    await makeBuilds('a', 'b', 'c', 'd', 'e', 'f');
    const results = await Promise.all([retain(), retain()]);
    expect(results.reduce((sum, { builds }) => sum + builds, 0)).toBe(4);
    expect(await numbers()).toEqual(['5', '6']);
  });
});

const revisions = async (): Promise<readonly number[]> =>
  await stores.pool.anyFirst(rows<{ number: number }>()`SELECT number FROM revisions ORDER BY number`);

/** Saves another definition of the pipeline, with one job. Returns the number of its revision. */
async function changePipeline(): Promise<number> {
  const digest = String(await revisions());
  const changed = toSave(samplePipeline({ jobs: [job('unit', get('git.app'), task('test'))] }), { digest });
  saved = await stores.pipelines.savePipeline(changed);
  return saved.revision;
}

describe('revisions', () => {
  test('revisions replaced long ago are deleted once no build uses them', async () => {
    await changePipeline();
    await makeBuilds('a');
    for (let count = 0; count < 2; count += 1) await changePipeline();
    await makeBuilds('b');
    expect(await changePipeline()).toBe(5);
    days = 6;
    await retain();
    expect(await revisions()).toEqual([1, 2, 3, 4, 5]);
    days = 8;
    expect(await retain()).toMatchObject({ builds: 0, records: 2 });
    expect(await revisions()).toEqual([2, 4, 5]);
    await saveRetention({ builds: 1, days: 30 });
    // Records of checks are stored for a week, and those of this test are in the future.
    await stores.pool.query(rows()`UPDATE check_runs SET revision_id = NULL`);
    days = 9;
    expect(await retain()).toMatchObject({ builds: 1, records: 1 });
    expect(await revisions()).toEqual([4, 5]);
  });

  test('revisions that nothing uses are limited in number, however often a pipeline changes', async () => {
    await makeBuilds('a');
    for (let count = 0; count < MAX_UNUSED_REVISIONS + 5; count += 1) await changePipeline();
    const left = await revisions();
    // The first revision has a build.
    expect(left.slice(0, 2)).toEqual([1, 6]);
    expect(left).toHaveLength(MAX_UNUSED_REVISIONS + 2);
  });

  test('revisions that run or that a retry would use stay', async () => {
    await makeBuilds('a');
    await changePipeline();
    days = 400;
    await retain();
    expect(await revisions()).toEqual([1, 2]);
    const ref = { ...UNIT, number: '1' };
    const again = await stores.actions.retryBuild(ref, 'ann');
    expect(again).toMatchObject({ answer: 'done' });
  });

  test('revisions that a check run uses stay', async () => {
    await startCheck();
    await changePipeline();
    days = 8;
    await retain();
    expect(await revisions()).toEqual([1, 2]);
  });
});

/** Starts a check that does not end. */
async function startCheck(): Promise<void> {
  await stores.checks.requestCheck(GIT, 'manual', new Date());
  const [due] = await stores.checks.dueChecks(new Date(), 1);
  expect(await stores.checks.openRun([due?.scope ?? 0], 'manual', new Date())).toBeDefined();
}

/** The pool of a process that dies at this statement of its transaction. */
function dyingAt(statement: number): DatabasePool {
  return new Proxy(stores.pool, {
    get(pool, name) {
      if (name !== 'transaction') return Reflect.get(pool, name);
      return async (work: (connection: Transaction) => Promise<unknown>) =>
        await pool.transaction(async (connection) => {
          let count = 0;
          const dyingConnection = new Proxy(connection, {
            get(target, method) {
              const original: unknown = Reflect.get(target, method);
              if (typeof original !== 'function') return original;
              return (...methodArguments: unknown[]): unknown => {
                count += 1;
                if (count === statement) throw new Error('killed');
                return Reflect.apply(original, target, methodArguments);
              };
            },
          });
          return await work(dyingConnection);
        });
    },
  });
}

const shownRefs = async (): Promise<string[]> =>
  ((await stores.views.versions(GIT, { limit: 200 }))?.rows ?? []).map(({ fields }) => fields['ref'] ?? '');

describe('versions', () => {
  test('versions that no build used are deleted after the retention days, and a check does not find them again', async () => {
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [] })));
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    days = CHECK_DAYS + 31;
    expect(await retain()).toMatchObject({ versions: 1 });
    // The next check continues from the newest version.
    expect(await shownRefs()).toEqual(['b']);
    expect(await recordFoundVersions(stores, saved, [{ ref: 'a' }])).toEqual([]);
    expect(await shownRefs()).toEqual(['b']);
  });

  test('versions of a retained build stay', async () => {
    await makeBuilds('a', 'b', 'c', 'd');
    days = CHECK_DAYS + 31;
    await retain();
    expect(await numbers()).toEqual(['4']);
    // Version a is in a build of `publish` that has not started.
    expect(await shownRefs()).toEqual(['d', 'a']);
  });

  test('versions that still need a build stay', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    days = CHECK_DAYS + 31;
    expect(await retain()).toMatchObject({ versions: 0 });
    expect((await schedule()).builds.map(({ number }) => number)).toEqual(['1', '2']);
  });
});

test('ended check runs and refused requests are deleted after a week', async () => {
  await triggerOn(stores, UNIT, 'ann', new Date());
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  days = 6;
  expect(await retain()).toMatchObject({ records: 0 });
  days = CHECK_DAYS + 8;
  expect(await retain()).toMatchObject({ records: 2 });
  expect(await retain()).toMatchObject({ records: 0 });
});

test('an unused cascade of a triggered version is deleted after a month', async () => {
  const [version = 0] = await makeBuilds('a');
  await schedule();
  await succeed(stores, 'publish');
  await triggerVersion(
    GIT,
    { version, by: 'ann' },
    { ...stores, notifications: { notify: () => undefined }, now: () => new Date() },
  );
  const countFollowing = async () =>
    await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM job_triggers WHERE follows`);
  days = 29;
  await retain();
  expect(await countFollowing()).toBe(1);
  days = 31;
  expect(await retain()).toMatchObject({ records: 1 });
  expect(await countFollowing()).toBe(0);
});

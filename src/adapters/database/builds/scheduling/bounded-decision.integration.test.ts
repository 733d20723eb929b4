import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { Facts } from '#domain/scheduling/facts.ts';
import { MAX_QUEUED_BUILDS } from '#domain/scheduling/queue-limits.ts';
import { scheduleJobs, schedulePipeline } from '#flows/builds/schedule-jobs.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const JOBS = 12;
const VERSIONS = 100;
const now = (): Date => new Date();
let stores: TestStores;

beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Saves a pipeline with this many jobs, each of which takes this many new versions. Returns its row id. */
async function flood(jobCount: number, versionCount: number): Promise<number> {
  const jobs = upTo(jobCount).map((index) => job(`job-${index}`, get('git.app'), task('run')));
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(
    stores,
    saved,
    upTo(versionCount).map((ref) => ({ ref: String(ref) })),
  );
  return saved.id;
}

/** Counts the builds, and the different pairs of job and version that they have. */
async function countBuilds(): Promise<{ builds: number; pairs: number }> {
  return await stores.pool.one(rows<{ builds: number; pairs: number }>()`
    SELECT count(*) AS builds, count(DISTINCT (job_id, version_id)) AS pairs FROM build_inputs`);
}

function decideAndDie(facts: Facts): never {
  decideBuilds(facts);
  throw new Error('killed');
}

const notifications = { notify: (): void => undefined };

describe('a pipeline that wants more builds than one decision makes', () => {
  test('several decisions make each build once, and only the last one needs no further decision', async () => {
    const pipeline = await flood(JOBS, VERSIONS);
    const first = await schedulePipeline(pipeline, { ...stores, notifications, now });
    expect([first.builds.length, first.more]).toEqual([1000, true]);
    const second = await schedulePipeline(pipeline, { ...stores, notifications, now });
    expect([second.builds.length, second.more]).toEqual([200, false]);
    expect(await countBuilds()).toEqual({ builds: 1200, pairs: 1200 });
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
  });

  test('a decision on many jobs without gets says that more wait', async () => {
    const jobs = upTo(300).map((index) => job(`job-${index}`, task('run')));
    const { id } = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = last_scheduled + 1`);
    expect((await schedulePipeline(id, { ...stores, notifications, now })).more).toBe(true);
    expect((await schedulePipeline(id, { ...stores, notifications, now })).more).toBe(false);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
  });

  test('the next leader continues where the operator died', async () => {
    const pipeline = await flood(JOBS, VERSIONS);
    await schedulePipeline(pipeline, { ...stores, notifications, now });
    await expect(scheduleOn(stores, pipeline, now(), decideAndDie)).rejects.toThrow('killed');
    // The next leader gets no notification: it polls.
    const { builds, failures } = await scheduleJobs({ ...stores, notifications, now });
    expect([builds.length, failures]).toEqual([200, []]);
    expect(await countBuilds()).toEqual({ builds: 1200, pairs: 1200 });
  });
});

const decideAll = async () => await scheduleJobs({ ...stores, notifications, now });

/** Ends the oldest open builds. */
async function endBuilds(count: number): Promise<void> {
  await stores.pool.query(rows()`
    UPDATE builds SET status = 'failed', wants_pod = false, ended_at = now()
    WHERE id IN (SELECT id FROM builds WHERE ended_at IS NULL ORDER BY id LIMIT ${count})`);
}

describe('a pipeline whose queue is full', () => {
  const APP = { team: 'main', pipeline: 'app' };
  const failedEnd = { outcome: 'failed', reason: 'StepFailed', message: '' } as const;

  test('a pipeline with a full queue gets no builds, refuses requests, and continues automatically', async () => {
    await flood(35, VERSIONS);
    expect((await decideAll()).builds).toHaveLength(MAX_QUEUED_BUILDS);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
    expect(await stores.pipelines.pipelineFacts(APP)).toMatchObject({ queueFull: true });
    const waiting = await stores.views.waiting(APP);
    expect(waiting?.jobs.at(-1)).toMatchObject({ name: 'job-35', reasons: [{ code: 'QueueFull' }] });
    expect(await triggerOn(stores, { ...APP, job: 'job-1' }, 'ann', now())).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'QueueFull' }],
    });
    await endBuilds(999);
    expect((await decideAll()).builds).toEqual([]);
    await endBuilds(1);
    expect((await decideAll()).builds).toHaveLength(1000);
    await endBuilds(2000);
    expect((await decideAll()).builds).toHaveLength(500);
    expect(await stores.pipelines.pipelineFacts(APP)).toMatchObject({ queueFull: false });
    expect(await countBuilds()).toEqual({ builds: 3500, pairs: 3500 });
  });

  test('a pipeline with a full queue refuses retries', async () => {
    const pipeline = await flood(21, VERSIONS);
    const { builds } = await schedulePipeline(pipeline, { ...stores, notifications, now });
    const [first] = await stores.builds.openAttempts();
    await endOn(stores, first?.id ?? 0, 1, { ...failedEnd, at: now() });
    await decideAll();
    await triggerOn(stores, { ...APP, job: 'job-2' }, 'ann', now());
    const ref = { ...APP, job: builds[0]?.job ?? '', number: builds[0]?.number ?? '' };
    expect(await stores.actions.retryBuild(ref, 'ann')).toMatchObject({
      reasons: [{ code: 'QueueFull' }],
    });
  });
});

test('a pipeline with more gets than one decision reads needs several decisions', async () => {
  const jobs = upTo(14).map((index) =>
    job(
      `job-${index}`,
      ...upTo(45).map((place) => ({ ...get('git.app'), name: `app-${place}` })),
      task('run'),
    ),
  );
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  const jobsPerDecision: number[] = [];
  const countJobs = (facts: Facts) => {
    jobsPerDecision.push(facts.jobs.length);
    return decideBuilds(facts);
  };
  for (const more of [true, true, false])
    expect(await scheduleOn(stores, saved.id, now(), countJobs)).toMatchObject({ more });
  expect(jobsPerDecision).toEqual([6, 6, 2]);
});

/** Saves a pipeline in which this many versions passed `unit`, and `publish` has built none of them. */
async function savePassedVersions(count: number): Promise<number> {
  const every = { ...get('git.app', { passed: ['unit'] }), version: 'every' } as const;
  const jobs = [job('unit', get('git.app', { trigger: false })), job('publish', every)];
  const { id } = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await stores.pool.query(rows()`
    WITH made AS (
      INSERT INTO versions (scope_id, digest, fields, found_at)
      SELECT scope_id, sha256(n::text::bytea), '{}', now() FROM resources, generate_series(1, ${count}) AS n ORDER BY n
      RETURNING id, scope_id, place),
    builds AS (
      INSERT INTO builds (job_id, revision_id, number, cause, created_at, ended_at, status, wants_pod)
      SELECT j.id, v.id, n, '{"kind": "ready"}', now(), now(), 'succeeded', false
      FROM jobs j, revisions v, generate_series(1, ${count}) AS n WHERE j.name = 'unit' RETURNING id, number, job_id)
    INSERT INTO good_versions (job_id, resource_id, version_id, build_id, scope_id, place)
    SELECT b.job_id, r.id, m.id, b.id, m.scope_id, m.place
    FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM made) AS m JOIN builds b ON b.number = m.n, resources r`);
  return id;
}

describe('a get that takes every version that passed', () => {
  test('version = every builds the oldest first and skips none, even beyond the limit of one decision', async () => {
    const waiting = 1300;
    const pipeline = await savePassedVersions(waiting);
    const builtVersions = async () =>
      await stores.pool.anyFirst(rows<{ version: number }>()`
        SELECT i.version_id - (SELECT min(id) FROM versions) + 1 AS version FROM build_inputs i ORDER BY i.build_id`);
    await scheduleOn(stores, pipeline, now());
    expect(await builtVersions()).toEqual(upTo((await builtVersions()).length));
    for (let round = 0; round < 30; round += 1) {
      await endBuilds(1000);
      await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
      await scheduleOn(stores, pipeline, now());
    }
    expect(await builtVersions()).toEqual(upTo(waiting));
  });
});

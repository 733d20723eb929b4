import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { PipelineToSave, SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  succeed,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
const UNIT = { ...APP, job: 'unit' };
const now = (): Date => new Date();
let stores: TestStores;
let saved: SavedPipeline;

const save = async (manifest: Partial<PipelineToSave> = {}) =>
  await stores.pipelines.savePipeline(toSave(samplePipeline(), manifest));

beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await save();
});
afterAll(async () => await stores.close());

async function schedule(): Promise<string[]> {
  const { builds } = await scheduleOn(stores, saved.id, now());
  await giveTurns(stores);
  return builds.map((build) => `${build.job} ${build.number}`);
}

const MANAGED = { answer: 'refused', reasons: [expect.objectContaining({ code: 'ManagedByManifest' })] };

describe('the manifest wins', () => {
  test('the manifest overrides pauses and unpauses while it sets paused', async () => {
    await save({ paused: false });
    expect(await stores.actions.pausePipeline(APP, 'ann')).toEqual(MANAGED);
    await save({ paused: true });
    expect(await stores.actions.unpausePipeline(APP)).toEqual(MANAGED);
    expect(await stores.views.job(UNIT)).toMatchObject({ paused: true });
    // Without `paused` in the manifest, the pipeline stays paused until the API changes that.
    await save();
    expect(await stores.views.pipeline(APP)).toMatchObject({ paused: true });
    expect(await stores.actions.unpausePipeline(APP)).toMatchObject({ answer: 'done' });
    expect(await stores.views.job(UNIT)).toMatchObject({ paused: false });
  });

  test('the manifest overrides pins of the resources that it pins, and no others', async () => {
    const [first = 0, second = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await stores.actions.pin(GIT, { version: second, by: 'ann' });
    await save({ pins: [{ resource: 'git.app', version: { ref: 'a' } }] });
    expect(await stores.views.resource(GIT)).toMatchObject({ pinned: { version: first, by: 'manifest' } });
    expect(await stores.actions.pin(GIT, { version: second, by: 'ann' })).toEqual(MANAGED);
    expect(await stores.actions.unpin(GIT)).toEqual(MANAGED);
    await save();
    expect((await stores.views.resource(GIT))?.pinned).toBeUndefined();
    expect(await stores.actions.unpin(GIT)).toMatchObject({ answer: 'done' });
  });

  test("the manifest's pin ends builds that have not started with another version, and names them", async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    expect(await schedule()).toEqual(['unit 1', 'unit 2']);
    const [first, second] = await stores.builds.buildsToStart(2);
    const pins = [{ resource: 'git.app', version: { ref: 'b' } }];
    expect((await save({ pins })).schedulingChange).toEqual({ stopped: [first?.id] });
    expect((await stores.builds.buildsToStart(2)).map(({ id }) => id)).toEqual([second?.id]);
    expect((await save({ pins })).schedulingChange).toBeUndefined();
    expect((await save()).schedulingChange).toEqual({ stopped: [] });
    expect((await save()).schedulingChange).toBeUndefined();
  });

  test('a pin of the manifest to an unknown version builds nothing until a check finds it', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await save({ pins: [{ resource: 'git.app', version: { ref: 'c' } }] });
    expect(await schedule()).toEqual([]);
    expect(await triggerOn(stores, UNIT, 'ann', now())).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'PinnedUnknown' }],
    });
    const [, pinned = 0] = await recordFoundVersions(stores, saved, [{ ref: 'b' }, { ref: 'c' }]);
    expect(await stores.views.resource(GIT)).toMatchObject({ pinned: { version: pinned } });
    expect(await schedule()).toEqual(['unit 1']);
    expect(await stores.views.build({ ...UNIT, number: '1' })).toMatchObject({
      inputs: [{ fields: { ref: 'c' } }],
    });
  });
});

test('a manifest that is applied a hundred times changes nothing', async () => {
  const [first = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
  await schedule();
  await succeed(stores, 'unit');
  await schedule();
  await stores.actions.pin(GIT, { version: first, by: 'ann', comment: 'the last good one' });
  await stores.actions.pauseJob({ ...APP, job: 'publish' }, 'ann');
  await schedule();
  const snapshot = async () => ({
    pipelines: await stores.pool.any(rows()`SELECT * FROM pipelines`),
    revisions: await stores.pool.any(rows()`SELECT id, number FROM revisions`),
    resources: await stores.pool.any(rows()`SELECT * FROM resources`),
    jobs: await stores.pool.any(rows()`SELECT * FROM jobs ORDER BY id`),
    gets: await stores.pool.any(rows()`SELECT * FROM job_gets ORDER BY job_id, position`),
    builds: await stores.pool.any(rows()`SELECT * FROM builds ORDER BY id`),
    scopes: await stores.pool.any(rows()`SELECT * FROM check_scopes`),
  });
  const before = await snapshot();
  for (let count = 0; count < 100; count += 1) expect((await save()).changed).toBe(false);
  expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
  expect(await schedule()).toEqual([]);
  expect(await snapshot()).toEqual(before);
});

test('a job that is removed and added back keeps its builds, its numbers and its pause', async () => {
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await schedule();
  await succeed(stores, 'unit');
  await stores.actions.pauseJob(UNIT, 'ann');
  const withoutUnit = samplePipeline({ jobs: [job('other', get('git.app'), task('x'))] });
  await stores.pipelines.savePipeline(toSave(withoutUnit));
  expect(await stores.views.build({ ...UNIT, number: '1' })).toMatchObject({ status: 'succeeded' });
  expect(await stores.actions.pauseJob(UNIT, 'ann')).toEqual({ answer: 'unknown' });
  expect(await stores.actions.retryBuild({ ...UNIT, number: '1' }, 'ann')).toMatchObject({
    reasons: [{ code: 'JobRemoved' }],
  });
  await save();
  expect(await stores.views.job(UNIT)).toMatchObject({ paused: true, latest: { number: '1' } });
  await stores.actions.unpauseJob(UNIT);
  expect(await triggerOn(stores, UNIT, 'ann', now())).toMatchObject({
    build: { number: '2' },
  });
});

describe('the author of an action', () => {
  test('a pin has its author and comment', async () => {
    const [first = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await stores.actions.pin(GIT, { version: first, by: 'ann', comment: 'until the fix' });
    expect((await stores.views.resource(GIT))?.pinned).toEqual({
      version: first,
      by: 'ann',
      comment: 'until the fix',
    });
  });

  test('a cancelled build has its author, even if its agent ends it', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await schedule();
    const [running] = await stores.builds.openAttempts();
    await stores.pool.query(rows()`UPDATE builds SET status = 'started' WHERE id = ${running?.id ?? 0}`);
    for (const number of ['1', '2'])
      expect(await stores.actions.cancelBuild({ ...UNIT, number }, 'ann')).toMatchObject({
        answer: 'done',
        stopped: [expect.any(Number)],
      });
    expect(await stores.views.build({ ...UNIT, number: '1' })).toMatchObject({ status: 'started' });
    expect((await stores.builds.attemptFacts(running?.id ?? 0, 1))?.cancelled).toEqual({
      at: expect.any(Date),
      reason: 'Cancelled by ann.',
    });
    const end = { outcome: 'cancelled', reason: 'Cancelled', message: 'told to', at: now() } as const;
    await endOn(stores, running?.id ?? 0, 1, end);
    for (const number of ['1', '2'])
      expect(await stores.views.build({ ...UNIT, number })).toMatchObject({
        status: 'cancelled',
        message: 'Cancelled by ann.',
        cancelledBy: 'ann',
      });
  });

  test('a failure marked as a warning has its author and passes', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const [build] = await stores.builds.openAttempts();
    const end = { outcome: 'failed', reason: 'StepFailed', message: 'no', at: now() } as const;
    await endOn(stores, build?.id ?? 0, 1, end);
    expect(await schedule()).toEqual([]);
    await stores.actions.markWarning({ ...UNIT, number: '1' }, 'bob');
    expect(await stores.views.build({ ...UNIT, number: '1' })).toMatchObject({
      status: 'warning',
      warnedBy: 'bob',
    });
    expect(await schedule()).toEqual(['publish 1']);
  });
});

test('an action on something that does not exist answers `unknown`', async () => {
  const noPipeline = { ...APP, pipeline: 'other' };
  const unknown = { answer: 'unknown' };
  expect(await stores.actions.pausePipeline(noPipeline, 'ann')).toEqual(unknown);
  expect(await stores.actions.unpin({ ...APP, resource: 'git.none' })).toEqual(unknown);
  expect(await stores.actions.cancelBuild({ ...UNIT, number: '9' }, 'ann')).toEqual(unknown);
  await stores.pipelines.savePipeline(toSave(samplePipeline(), { pipeline: 'second' }));
  const [first = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  const otherResource = { ...GIT, pipeline: 'second' };
  expect(await stores.actions.pin(otherResource, { version: first, by: 'ann' })).toEqual(unknown);
  expect(await stores.actions.disableVersion(otherResource, first, 'ann')).toEqual(unknown);
});

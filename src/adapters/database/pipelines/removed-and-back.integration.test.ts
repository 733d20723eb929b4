import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { requestAfterChecks } from '#flows/builds/trigger-job.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, recordFoundVersions, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
const UNIT = job('unit', get('git.app', { trigger: false }), task('test'));
const DEPLOY = job('deploy', get('git.app', { trigger: true, passed: ['unit'] }), task('deploy'));
const now = (): Date => new Date();
let stores: TestStores;
let saved: SavedPipeline;

const save = async (...jobs: ReturnType<typeof job>[]) =>
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await save(UNIT, DEPLOY);
});
afterAll(async () => await stores.close());

const schedule = async (): Promise<string[]> =>
  (await scheduleOn(stores, saved.id, now())).builds.map((build) => `${build.job} ${build.number}`);

test('a triggered version does not reach a job that was removed and added again meanwhile', async () => {
  const [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await stores.actions.triggerVersion(GIT, { version, by: 'ann' });
  await save(UNIT);
  await succeed(stores, 'unit');
  await save(UNIT, DEPLOY);
  expect(await schedule()).toEqual([]);
});

test('a trigger that waits for checks makes no build of a pipeline that was deleted and created again', async () => {
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  const request = { by: 'ann', waitMs: 1 };
  const waits = await requestAfterChecks({ ...APP, job: 'unit' }, request, { ...stores, now });
  if (waits.answer !== 'checking') throw new Error('The trigger does not wait.');
  await stores.pipelines.removePipeline(APP);
  expect(await stores.builds.triggerAnswer(waits)).toEqual({ answer: 'unknown' });
  await save(UNIT, DEPLOY);
  expect(await schedule()).toEqual([]);
});

const withBranch = (branch: string) =>
  samplePipeline({
    resources: [resource('git.app', { params: { branch } })],
    jobs: [job('unit', get('git.app'), task('test'))],
  });

test('a pipeline that was deleted and created again builds no old version of a check scope that it had before', async () => {
  const saveBranch = async (branch: string) =>
    await stores.pipelines.savePipeline(toSave(withBranch(branch)));
  const onMain = await saveBranch('main');
  await recordFoundVersions(stores, onMain, [{ ref: 'a' }]);
  expect(await schedule()).toEqual(['unit 1']);
  const scope = onMain.resources[0]?.scope ?? 0;
  const { run = 0 } = (await stores.checks.openRun([scope], 'manual', now())) ?? {};
  await saveBranch('release');
  // The check ends after its resource got another check scope.
  await stores.checks.recordCheck({ run, scope, versions: [{ ref: 'b' }], log: '' }, now());
  await stores.pipelines.removePipeline(APP);
  await saveBranch('release');
  await saveBranch('main');
  expect(await schedule()).toEqual([]);
});

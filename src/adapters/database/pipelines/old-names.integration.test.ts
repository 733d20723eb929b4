import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Job, Pipeline, Resource } from '#domain/pipeline/pipeline.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, scheduleOn, stateOn, triggerOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  giveTurns,
  openStores,
  succeed,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/* History continues under new names, and work that began under old names ends normally. */
const APP = { team: 'main', pipeline: 'app' };
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await save(BEFORE);
});

interface Names {
  unit: string;
  app: string;
  /** `old_name` of the job and of the resource. */
  old?: { unit?: string; app?: string };
  overrides?: Partial<Pipeline>;
}

const BEFORE: Names = { unit: 'unit', app: 'git.app' };
const AFTER: Names = { unit: 'test', app: 'git.repo', old: { unit: 'unit', app: 'git.app' } };

function definition({ unit, app, old = {}, overrides = {} }: Names): Pipeline {
  const unitJob: Job = {
    ...job(unit, get(app), put('git.log')),
    tags: ['big'],
    ...(old.unit !== undefined && { oldName: old.unit }),
  };
  const git: Resource = resource(app, old.app === undefined ? {} : { oldName: old.app });
  return samplePipeline({
    resources: [git, resource('git.log')],
    jobs: [unitJob, job('publish', get(app, { passed: [unit] }), task('push'))],
    ...overrides,
  });
}

async function save(
  names: Names,
  manifest: Partial<Parameters<typeof toSave>[1]> = {},
): Promise<SavedPipeline> {
  return await stores.pipelines.savePipeline(toSave(definition(names), manifest));
}

const schedule = async () =>
  (await scheduleOn(stores, saved.id, new Date())).builds.map(({ job: name, number }) => `${name}#${number}`);
/** The builds of a job as `number status`; undefined if there is no such job. */
const buildsOf = async (name: string) =>
  (await stores.views.builds({ ...APP, job: name }, { limit: 10 }))?.rows.map(
    ({ number, status }) => `${number} ${status}`,
  );

describe('a job with another name', () => {
  test('a renamed job continues with its builds, numbers and passed versions', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule()).toEqual(['unit#1']);
    await succeed(stores, 'unit');
    const { difference } = await save({ ...BEFORE, unit: 'test', old: { unit: 'unit' } });
    expect(difference.jobs).toEqual({ added: [], changed: ['publish', 'test'], removed: [] });
    expect(await schedule()).toEqual(['publish#1']);
    expect(await buildsOf('test')).toEqual(['1 succeeded']);
    expect(await buildsOf('unit')).toBeUndefined();
    await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
    expect(await schedule()).toEqual(['test#2']);
  });

  test('a renamed job stays paused', async () => {
    await stores.actions.pauseJob({ ...APP, job: 'unit' }, 'ann');
    await save(AFTER);
    expect(await stores.views.job({ ...APP, job: 'test' })).toMatchObject({ paused: true });
  });

  test('a renamed job runs a build queued under the old name with the definition of that build', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await save(AFTER);
    await giveTurns(stores);
    const waiting = await stores.views.waiting(APP);
    expect(waiting?.builds).toMatchObject([{ job: 'test', number: '1' }]);
    const [build] = await stores.builds.buildsToStart(10);
    if (build === undefined) throw new Error('no build to start');
    expect(build.definition.jobs.map(({ name }) => name)).toContain(build.job);
    expect(await stores.builds.attemptFacts(build.id, build.attempt)).toMatchObject({ job: 'unit' });
    const state = await stateOn(stores, build.id, build.attempt);
    expect(state?.steps.map(({ kind, name }) => `${kind} ${name}`)).toEqual(['get git.app', 'put git.log']);
    await stores.builds.podCreated(build.id, build.attempt, 'pod', new Date());
    const events = eventsOf(state?.steps.map(({ id }) => id) ?? [], new Date().toISOString());
    await followOn(stores, build.id, build.attempt, events);
    expect(await buildsOf('test')).toEqual(['1 succeeded']);
    expect(await schedule()).toEqual(['publish#1']);
  });
});

describe('a resource with another name', () => {
  test('a renamed resource keeps its versions, pin and webhook token, and builds nothing again', async () => {
    const [first = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule()).toEqual(['unit#1']);
    await stores.actions.pin({ ...APP, resource: 'git.app' }, { version: first, by: 'ann' });
    const before = await stores.views.resource({ ...APP, resource: 'git.app' });
    const { difference, resources } = await save({ ...BEFORE, app: 'git.repo', old: { app: 'git.app' } });
    expect(difference.resources).toEqual({ added: [], changed: ['git.repo'], removed: [] });
    expect(difference.histories).toEqual([]);
    expect(resources[0]).toEqual({ ...saved.resources[0], name: 'git.repo' });
    expect(await stores.views.resource({ ...APP, resource: 'git.repo' })).toEqual({
      ...before,
      name: 'git.repo',
    });
    expect(await stores.views.resource({ ...APP, resource: 'git.app' })).toBeUndefined();
    expect(await schedule()).toEqual([]);
  });

  test('a renamed resource stays pinned by a manifest with the old name', async () => {
    const pins = [{ resource: 'git.app', version: { ref: 'a' } }];
    await save(BEFORE, { pins });
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await save(AFTER, { pins });
    expect(await stores.views.resource({ ...APP, resource: 'git.repo' })).toMatchObject({
      pinned: { by: 'manifest', version: expect.any(Number) },
    });
  });

  test('a renamed resource gets the result of a check that began under the old name', async () => {
    const scope = saved.resources[0]?.scope ?? 0;
    await stores.checks.requestCheck({ ...APP, resource: 'git.app' }, 'manual', new Date());
    const { run = 0 } = (await stores.checks.openRun([scope], 'manual', new Date())) ?? {};
    await save(AFTER);
    const facts = await stores.checks.runFacts(run);
    expect(facts?.definition.resources.map(({ name }) => name)).toContain(facts?.checks[0]?.resource);
    await stores.checks.recordCheck({ run, scope, versions: [{ ref: 'a' }], log: '' }, new Date());
    expect(await stores.views.resource({ ...APP, resource: 'git.repo' })).toMatchObject({ versions: 1 });
  });

  test('a renamed resource gets the version of a put under its old name, even if that name is taken again', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await giveTurns(stores);
    const [build] = await stores.builds.buildsToStart(10);
    if (build === undefined) throw new Error('no build to start');
    const resources = [resource('git.app'), resource('git.notes', { oldName: 'git.log' })];
    await save({ ...BEFORE, overrides: { resources, jobs: [job('unit', get('git.app'))] } });
    const withNewLog = [resource('git.app'), resource('git.notes'), resource('git.log')];
    await save({ ...BEFORE, overrides: { resources: withNewLog, jobs: [job('unit', get('git.app'))] } });
    await stores.builds.podCreated(build.id, build.attempt, 'pod', new Date());
    const state = await stateOn(stores, build.id, build.attempt);
    const at = new Date().toISOString();
    const events = eventsOf(state?.steps.map(({ id }) => id) ?? [], at).map((event) =>
      event.type === 'step-ended' && event.step === state?.steps[1]?.id
        ? { ...event, version: { n: '1' } }
        : event,
    );
    await followOn(stores, build.id, build.attempt, events);
    const versions = async (name: string) =>
      (await stores.views.resource({ ...APP, resource: name }))?.versions;
    expect([await versions('git.notes'), await versions('git.log')]).toEqual([1, 0]);
  });
});

describe('old_name', () => {
  test('old_name may stay in the HCL text', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await save(AFTER);
    await save({ ...AFTER, overrides: { resourceTypes: definition(AFTER).resourceTypes.toReversed() } });
    expect(await buildsOf('test')).toEqual(['1 pending']);
  });

  test('old_name does nothing if a job with the new name already exists', async () => {
    const before = definition(BEFORE);
    const jobs = [...before.jobs, job('test', get('git.app', { trigger: false }))];
    await save({ ...BEFORE, overrides: { jobs } });
    await stores.actions.pauseJob({ ...APP, job: 'unit' }, 'ann');
    await save({ ...BEFORE, unit: 'test', old: { unit: 'unit' } });
    expect(await stores.views.job({ ...APP, job: 'test' })).toMatchObject({ paused: false });
  });

  test('old_name takes over a job that was removed long ago', async () => {
    const before = definition(BEFORE);
    await save({ ...BEFORE, overrides: { jobs: [...before.jobs, job('test', task('old'))] } });
    await triggerOn(stores, { ...APP, job: 'test' }, 'ann', new Date());
    await save(BEFORE);
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await save({ ...BEFORE, unit: 'test', old: { unit: 'unit' } });
    expect(await buildsOf('test')).toEqual(['1 pending']);
  });

  test('old_name follows several renames, there and back', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await save({ ...BEFORE, unit: 'test', old: { unit: 'unit' } });
    await save({ ...BEFORE, unit: 'check', old: { unit: 'test' } });
    await save({ ...BEFORE, old: { unit: 'check' } });
    expect(await buildsOf('unit')).toEqual(['1 pending']);
    await giveTurns(stores);
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ job: 'unit' }]);
  });
});

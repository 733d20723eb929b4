import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
const UNIT = { ...APP, job: 'unit' };
let stores: TestStores;
let saved: SavedPipeline;
/** Row ids, oldest first. */
let versions: number[];

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const lint = job('lint', get('git.app', { trigger: false }), task('lint'));
  const unit = job('unit', get('git.app'), task('test'));
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [unit, lint] })));
  versions = await recordFoundVersions(stores, saved, [
    { ref: 'one', message: 'Add a Basket' },
    { ref: 'two', message: '100%_done' },
  ]);
});

const schedule = async () => await scheduleOn(stores, saved.id, new Date());

describe('a search for versions', () => {
  const cases: Record<string, [text: string, refs: string[]]> = {
    'finds a text in any field, in upper or lower case': ['bASKET', ['one']],
    'takes no character as a pattern': ['%_', ['two']],
    'finds no names of fields': ['message', []],
    'finds all versions that contain the text': ['o', ['two', 'one']],
  };
  test.each(Object.entries(cases))('%s', async (_name, [text, refs]) => {
    const listed = await stores.views.versions(GIT, { limit: 10, text });
    expect(listed?.rows.map(({ fields }) => fields['ref'])).toEqual(refs);
  });

  test('returns its results in pages', async () => {
    const first = await stores.views.versions(GIT, { limit: 1, text: 'o' });
    const before = first?.rows[0]?.id ?? 0;
    const second = await stores.views.versions(GIT, { limit: 1, text: 'o', before });
    expect([first?.hasMore, second?.hasMore]).toEqual([true, false]);
    expect(second?.rows.map(({ fields }) => fields['ref'])).toEqual(['one']);
  });
});

describe('what became of a version', () => {
  test('is the newest build of each job that took it, in the order of the jobs', async () => {
    const [first = 0, second = 0] = versions;
    await triggerOn(stores, { ...APP, job: 'lint' }, 'ann', new Date());
    await triggerOn(stores, UNIT, 'ann', new Date());
    await succeed(stores, 'unit');
    await triggerOn(stores, UNIT, 'ann', new Date());
    const uses = await stores.views.versionUses(GIT, [first, second]);
    expect(new Map(uses.map((use) => [use.version, use]))).toEqual(
      new Map([
        [
          first,
          { version: first, builds: [{ job: 'unit', number: '1', status: 'succeeded' }], metadata: [] },
        ],
        [
          second,
          {
            version: second,
            metadata: [],
            builds: [
              { job: 'unit', number: '3', status: 'pending' },
              { job: 'lint', number: '1', status: 'pending' },
            ],
          },
        ],
      ]),
    );
  });

  test('is nothing in a pipeline that does not exist', async () => {
    expect(await stores.views.versionUses({ ...GIT, pipeline: 'none' }, versions)).toEqual([]);
    expect(await stores.views.versionUses(GIT, [])).toEqual([]);
  });
});

test('the origin of a build is a person, the build that it retries, or a version', async () => {
  await schedule();
  await succeed(stores, 'unit');
  await triggerOn(stores, UNIT, 'ann', new Date());
  await stores.actions.retryBuild({ ...UNIT, number: '1' }, 'ben');
  const builds = (await stores.views.builds(UNIT, { limit: 10 }))?.rows ?? [];
  const origins = await stores.views.buildOrigins(builds.map(({ id }) => id));
  const originOf = (number: string) => {
    const build = builds.find((candidate) => candidate.number === number)?.id;
    return origins.find((origin) => origin.build === build);
  };
  const [newest = 0] = versions.toReversed();
  const fields = { ref: 'two', message: '100%_done' };
  const inputs = [{ name: 'app', resource: 'git.app', version: newest, fields }];
  expect(originOf('1.1')).toMatchObject({ cause: { kind: 'retry', by: 'ben', of: '1' } });
  const manual = builds.find(({ number }) => originOf(number)?.cause?.kind === 'manual');
  expect(originOf(manual?.number ?? '')).toMatchObject({ cause: { kind: 'manual', by: 'ann' }, inputs });
  const automatic = origins.filter(({ cause }) => cause?.kind === 'version');
  expect(automatic.map(({ cause }) => cause)).toContainEqual({
    kind: 'version',
    resource: 'git.app',
    version: newest,
  });
});

test('the definition of a job is that of the current revision', async () => {
  expect(await stores.views.jobDefinition(UNIT)).toMatchObject({ name: 'unit' });
  const unit = { ...job('unit', get('git.app')), concurrency: 1 };
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [unit] })));
  expect(await stores.views.jobDefinition(UNIT)).toMatchObject({ concurrency: 1 });
  expect(await stores.views.jobDefinition({ ...APP, job: 'lint' })).toBeUndefined();
  expect(await stores.views.jobDefinition({ ...UNIT, pipeline: 'none' })).toBeUndefined();
});

test('a pin shows when it was set, and a disabled version shows who disabled it', async () => {
  const [first = 0, second = 0] = versions;
  await stores.actions.pin(GIT, { version: first, by: 'ann' });
  await stores.actions.disableVersion(GIT, second, 'ben');
  expect((await stores.views.resource(GIT))?.pinnedAt).toBeInstanceOf(Date);
  const rows = (await stores.views.versions(GIT, { limit: 10 }))?.rows ?? [];
  expect(rows.map(({ disabledBy }) => disabledBy)).toEqual(['ben', undefined]);
  await stores.actions.enableVersion(GIT, second);
  await stores.actions.unpin(GIT);
  expect(await stores.views.resource(GIT)).not.toHaveProperty('pinnedAt');
  expect((await stores.views.versions(GIT, { limit: 1 }))?.rows[0]).not.toHaveProperty('disabledBy');
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { webhookToken, webhookTokenHash } from '#adapters/crypto/digests.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { defined } from '#defined';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { savePipeline } from '#flows/pipelines/save-pipeline.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  succeed,
  toSave,
  WEBHOOK_KEY,
  type TestStores,
} from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();
let stores: TestStores;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

const save = async (definition: Pipeline = samplePipeline(), settings = {}) =>
  await stores.pipelines.savePipeline(toSave(definition, settings));
const schedule = async (pipeline: number): Promise<string[]> =>
  (await scheduleOn(stores, pipeline, now())).builds.map((build) => `${build.job} ${build.number}`);

describe('cached sources', () => {
  const cached = { key: 'k', sources: { 'svc://feed': { text: 'a', digest: 'sha256:a' } } };

  test('sources are cached before there is a pipeline, replaced, and removed with it', async () => {
    expect(await stores.pipelines.cachedSources(APP)).toBeUndefined();
    await stores.pipelines.cacheSources(APP, cached);
    await stores.pipelines.cacheSources(APP, { ...cached, key: 'l' });
    expect(await stores.pipelines.cachedSources(APP)).toEqual({ ...cached, key: 'l' });
    expect(await stores.pipelines.cachedSources({ ...APP, pipeline: 'other' })).toBeUndefined();
    await stores.pipelines.removePipeline(APP);
    expect(await stores.pipelines.cachedSources(APP)).toBeUndefined();
  });
});

describe('saving a pipeline', () => {
  test('saving an unchanged pipeline writes nothing', async () => {
    const first = await save();
    const rowsBefore = await rowVersions();
    const again = await save();
    expect(again).toEqual({ ...first, changed: false, difference: noDifference() });
    expect(await rowVersions()).toEqual(rowsBefore);
  });

  test("new pipelines that are saved at the same time do not exceed the team's limit", async () => {
    const saveNamed = async (pipeline: string) => {
      const pipelineToSave = { ...toSave(samplePipeline(), { pipeline, uid: pipeline }), limit: 2 };
      return (await savePipeline(pipelineToSave, stores.pipelines, now())) === undefined ? [] : [pipeline];
    };
    await saveNamed('first');
    const saved = (await Promise.all(['a', 'b', 'c'].map(saveNamed))).flat();
    expect(saved).toHaveLength(1);
    const names = await stores.pool.anyFirst(
      rows<{ name: string }>()`SELECT name FROM pipelines ORDER BY id`,
    );
    expect(names).toEqual(['first', ...saved]);
    expect(await saveNamed('first')).toEqual(['first']);
  });

  test('saving a pipeline returns what was added, changed and removed', async () => {
    await save();
    const { revision, difference } = await save(
      samplePipeline({
        resources: [resource('git.app', { params: { url: 'elsewhere' } }), resource('git.lib')],
        jobs: [job('unit', get('git.lib'), task('test'))],
      }),
    );
    expect(revision).toBe(2);
    expect(difference).toEqual({
      jobs: { added: [], changed: ['unit'], removed: ['publish'] },
      resources: { added: ['git.lib'], changed: ['git.app'], removed: [] },
      histories: ['git.app: another history (url none → elsewhere)'],
    });
  });

  test('saving a pipeline needs its team', async () => {
    await expect(save(samplePipeline(), { team: 'nobody' })).rejects.toThrow('Team nobody is not known yet');
  });

  test('saving a pipeline twice at once makes one revision', async () => {
    const saved = await Promise.all([1, 2, 3, 4].map(() => save()));
    expect(new Set(saved.map(({ id, revision }) => `${id} ${revision}`)).size).toBe(1);
    expect(saved.filter(({ changed }) => changed)).toHaveLength(1);
  });

  test('saving changed settings makes no new revision', async () => {
    await save();
    const saved = await save(samplePipeline(), { public: true, displayName: 'The app' });
    expect(saved).toMatchObject({ revision: 1, changed: false });
    expect(await stores.views.pipeline(APP)).toMatchObject({ public: true, displayName: 'The app', jobs: 2 });
  });
});

test.each<[title: string, isPublic: boolean | undefined, expected: boolean]>([
  ['is private unless its manifest makes it public', undefined, false],
  ['is public if its manifest says so', true, true],
])(
  'a pipeline that is created again after a public one was deleted %s',
  async (_title, isPublic, expected) => {
    await save(samplePipeline(), { public: true });
    await stores.pipelines.removePipeline(APP);
    const { public: _, ...silent } = toSave(samplePipeline(), { uid: 'uid-2' });
    await stores.pipelines.savePipeline({ ...silent, ...defined({ public: isPublic }) });
    expect(await stores.views.pipeline(APP)).toMatchObject({ public: expected });
  },
);

describe('the version from which a job starts', () => {
  test('a new job builds no version that was found before it was added, but every later one', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule(saved.id)).toEqual(['unit 1']);
    const sample = samplePipeline();
    await save({ ...sample, jobs: [...sample.jobs, job('lint', get('git.app'))] });
    expect(await schedule(saved.id)).toEqual([]);
    await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
    expect(await schedule(saved.id)).toEqual(['unit 2', 'lint 1']);
  });

  test('a get that becomes a trigger builds no version that was found before', async () => {
    const withoutTrigger = samplePipeline({ jobs: [job('unit', get('git.app', { trigger: false }))] });
    const saved = await save(withoutTrigger);
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    expect(await schedule(saved.id)).toEqual([]);
    await save(samplePipeline({ jobs: [job('unit', get('git.app'))] }));
    expect(await schedule(saved.id)).toEqual([]);
  });

  test('a get that loses its passed builds no version that was found before', async () => {
    const saved = await save();
    for (const ref of ['a', 'b', 'c']) await recordFoundVersions(stores, saved, [{ ref }]);
    expect(await schedule(saved.id)).toEqual(['unit 1', 'unit 2', 'unit 3']);
    const [unit] = samplePipeline().jobs;
    await save(samplePipeline({ jobs: [...(unit ? [unit] : []), job('publish', get('git.app'))] }));
    expect(await schedule(saved.id)).toEqual([]);
    await recordFoundVersions(stores, saved, [{ ref: 'd' }]);
    expect(await schedule(saved.id)).toEqual(['unit 4', 'publish 1']);
  });

  test('a second get of a resource does not build the versions again that the first get took', async () => {
    const saved = await save();
    for (const ref of ['a', 'b']) await recordFoundVersions(stores, saved, [{ ref }]);
    expect(await schedule(saved.id)).toEqual(['unit 1', 'unit 2']);
    await save(samplePipeline({ jobs: [job('unit', get('git.app'), get('git.app'))] }));
    expect(await schedule(saved.id)).toEqual([]);
    await recordFoundVersions(stores, saved, [{ ref: 'c' }]);
    expect(await schedule(saved.id)).toEqual(['unit 3']);
  });

  test('a get that gains or retains its passed continues where it was', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    const gated = job('publish', get('git.app', { passed: ['unit'] }), task('other'));
    await save(samplePipeline({ jobs: [job('unit', get('git.app'), task('other')), gated] }));
    expect(await schedule(saved.id)).toEqual(['unit 1']);
    await succeed(stores, 'unit');
    expect(await schedule(saved.id)).toEqual(['publish 1']);
  });

  test('a changed job continues where it was', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await save(samplePipeline({ jobs: [job('unit', get('git.app'), task('other'))] }));
    expect(await schedule(saved.id)).toEqual(['unit 1']);
  });

  test('a job that is removed and added again keeps its builds and numbers, and builds no version that was found meanwhile', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule(saved.id)).toEqual(['unit 1']);
    await save(samplePipeline({ jobs: [] }));
    await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
    await save();
    expect(await schedule(saved.id)).toEqual([]);
    await recordFoundVersions(stores, saved, [{ ref: 'c' }]);
    expect(await schedule(saved.id)).toEqual(['unit 2']);
    const page = await stores.views.builds({ ...APP, job: 'unit' }, { limit: 10 });
    expect(page?.rows.map((build) => build.number)).toEqual(['2', '1']);
  });

  test('versions found while the pipeline is paused start nothing later', async () => {
    const saved = await save(samplePipeline(), { paused: true });
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule(saved.id)).toEqual([]);
    await save(samplePipeline(), { paused: false });
    await recordFoundVersions(stores, saved, [{ ref: 'b' }]);
    const { builds } = await scheduleOn(stores, saved.id, now());
    expect(builds.map((build) => build.number)).toEqual(['1']);
    await giveTurns(stores);
    const [pending] = await stores.builds.buildsToStart(1);
    expect((await stores.builds.attemptFacts(pending?.id ?? 0, 1))?.versions).toEqual([{ ref: 'b' }]);
  });
});

describe('a pipeline that is deleted', () => {
  test('a pipeline that is applied again after its deletion keeps its history and builds nothing again', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule(saved.id);
    await succeed(stores, 'unit');
    const tokenHash = webhookTokenHash(webhookToken(WEBHOOK_KEY, saved.resources[0]?.id ?? 0, 1));
    const webhook = async () =>
      (
        await stores.checks.requestChecksByToken(
          { calls: [{ tokenHash, signature: 'absent' }], wait: true },
          now(),
        )
      ).answers;
    expect(await webhook()).toEqual(['requested']);

    await stores.pipelines.removePipeline(APP);
    expect(await stores.pipelines.definition(APP)).toBeUndefined();
    expect(await webhook()).toEqual(['unknown']);
    expect(await stores.checks.dueChecks(new Date(Date.now() + 10 ** 7), 10)).toEqual([]);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);

    const again = await save(samplePipeline(), { uid: 'uid-2' });
    expect(again).toMatchObject({ id: saved.id, revision: 1, changed: true, resources: saved.resources });
    expect(await webhook()).toEqual(['requested']);
    expect(await schedule(saved.id)).toEqual([]);
    const page = await stores.views.builds({ ...APP, job: 'unit' }, { limit: 10 });
    expect(page?.rows.map((build) => build.status)).toEqual(['succeeded']);
    expect((await stores.views.versions({ ...APP, resource: 'git.app' }, { limit: 10 }))?.rows).toHaveLength(
      1,
    );
  });

  test('deleting a pipeline ends builds without a Pod at once and cancels the others', async () => {
    const saved = await save();
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await schedule(saved.id);
    await giveTurns(stores);
    const [first] = await stores.builds.buildsToStart(1);
    await stores.builds.podCreated(first?.id ?? 0, 1, 'pod', now());
    expect(await stores.pipelines.removePipeline(APP)).toEqual({ runningBuilds: [first?.id] });
    expect(await stores.builds.buildsToStart(10)).toEqual([]);
    expect(await stores.builds.attemptFacts(first?.id ?? 0, 1)).toMatchObject({
      cancelled: { at: expect.any(Date) },
    });
    const end = { outcome: 'cancelled', reason: 'Cancelled', message: '', at: now() } as const;
    await endOn(stores, first?.id ?? 0, 1, end);
    expect(await stores.pipelines.removePipeline(APP)).toEqual({ runningBuilds: [] });
  });
});

test('a pipeline that another object has taken over is not stopped because the first object is gone', async () => {
  const saved = await save();
  await save(samplePipeline(), { uid: 'uid-2' });
  await stores.pipelines.removePipeline({ ...APP, uid: 'uid-1' });
  expect(await stores.pipelines.definition(APP)).toMatchObject({ id: saved.id });
  expect(await stores.pipelines.livePipelines()).toMatchObject([{ pipeline: 'app', uid: 'uid-2' }]);
  await stores.pipelines.removePipeline({ ...APP, uid: 'uid-2' });
  expect(await stores.pipelines.definition(APP)).toBeUndefined();
});

test('a team is deleted only without pipelines and can come back', async () => {
  await save();
  expect(await stores.teams.removeTeam('main')).toBe('has-pipelines');
  await stores.pipelines.removePipeline(APP);
  expect(await stores.teams.removeTeam('main')).toBe('removed');
  await expect(save()).rejects.toThrow('not known');
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  expect(await save()).toMatchObject({ revision: 1 });
});

function noDifference() {
  const none = { added: [], changed: [], removed: [] };
  return { jobs: none, resources: none, histories: [] };
}

/** The row versions of all tables: if they are equal before and after, nothing was written. */
async function rowVersions(): Promise<unknown> {
  return await stores.pool.any(rows()`
    SELECT 'pipelines' AS of, xmin::text, id FROM pipelines UNION ALL SELECT 'jobs', xmin::text, id FROM jobs
    UNION ALL SELECT 'resources', xmin::text, id FROM resources UNION ALL SELECT 'scopes', xmin::text, id
    FROM check_scopes
    UNION ALL SELECT 'revisions', xmin::text, id FROM revisions ORDER BY 1, 3`);
}

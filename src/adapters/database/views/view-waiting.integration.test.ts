import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  giveTurns,
  openStores,
  succeed,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(
    toSave(
      samplePipeline({
        resources: [resource('git.app'), resource('git.image')],
        jobs: [
          job('unit', get('git.app'), task('test')),
          job('image', get('git.app', { passed: ['unit'] }), put('git.image')),
          job('deploy', get('git.image', { passed: ['image'] }), task('roll out')),
          job('tidy', get('git.app', { trigger: false }), task('tidy')),
        ],
      }),
    ),
  );
});

const schedule = async () => {
  const scheduled = await scheduleOn(stores, saved.id, new Date());
  await giveTurns(stores);
  return scheduled;
};
const reasonCodes = async (): Promise<Record<string, string[]>> => {
  const waiting = await stores.views.waiting(APP);
  return Object.fromEntries(
    (waiting?.jobs ?? []).map(({ name, reasons }) => [name, reasons.map(({ code }) => code)]),
  );
};

describe('why something waits', () => {
  test('the reason is current even if no decision on the job was made since', async () => {
    expect(await reasonCodes()).toEqual({
      unit: ['NoVersion'],
      image: ['NothingPassed'],
      deploy: ['NothingPassed'],
      tidy: ['NoVersion'],
    });
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    // A build of `unit` is about to be created, so there is no reason.
    expect(await reasonCodes()).toMatchObject({ unit: [], image: ['NothingPassed'], tidy: ['NoTrigger'] });
    await schedule();
    expect(await reasonCodes()).toMatchObject({ unit: ['NothingNew'], image: ['NothingPassed'] });
  });

  test('the reason says how a resource without a version gets one', async () => {
    const message = async (): Promise<string | undefined> =>
      (await stores.views.waiting(APP))?.jobs[0]?.reasons[0]?.message;
    const running = 'No version of git.app is known yet. Its first check has not ended yet.';
    expect(await message()).toBe(running);
    const { schedule: _, ...unscheduled } = resource('git.app', { params: { url: 'elsewhere' } });
    const jobs = [job('unit', get('git.app'), task('test'))];
    await stores.pipelines.savePipeline(
      toSave(samplePipeline({ resources: [unscheduled], jobs }), { digest: 'unscheduled' }),
    );
    expect(await message()).toMatch(
      'No version of git.app is known yet. It has no check_interval, so a check',
    );
    await stores.checks.requestCheck({ ...APP, resource: 'git.app' }, 'manual', new Date());
    expect(await message()).toBe(running);
  });

  test('the reason names what a pending build waits for', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const [build] = await stores.builds.buildsToStart(1);
    await stores.builds.explainPending(build?.id ?? 0, 'QuotaExceeded: exceeded quota: millrace');
    expect((await stores.views.waiting(APP))?.builds).toEqual([
      {
        job: 'unit',
        number: '1',
        reasons: [{ code: 'QuotaExceeded', message: 'exceeded quota: millrace' }],
      },
    ]);
    expect((await stores.views.waiting({ ...APP, job: 'tidy' }))?.builds).toEqual([]);
  });

  test('a page that shows only the first jobs of the definition reads only their reasons', async () => {
    const first = await stores.views.waiting({ ...APP, first: 2 });
    expect(first?.jobs.map(({ name }) => name)).toEqual(['unit', 'image']);
    expect(first?.jobs).toEqual((await stores.views.waiting(APP))?.jobs.slice(0, 2));
  });

  test('reading the reason changes nothing, and an unknown job has none', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await stores.views.waiting(APP);
    expect((await schedule()).builds).toHaveLength(1);
    expect(await stores.views.waiting({ ...APP, job: 'nobody' })).toBeUndefined();
    expect(await stores.views.waiting({ ...APP, pipeline: 'other' })).toBeUndefined();
  });
});

describe('the path of a version', () => {
  test('the path goes through jobs and their puts, and lists jobs that have not built the version', async () => {
    const [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await succeed(stores, 'unit');
    await schedule();
    const image = (await stores.builds.buildsToStart(10)).find((build) => build.job === 'image');
    const events = eventsOf(['0', '1'], new Date().toISOString()).map((event) =>
      event.type === 'step-ended' && event.step === '1' ? { ...event, version: { tag: '1.0' } } : event,
    );
    await followOn(stores, image?.id ?? 0, 1, events);
    await schedule();
    const path = await stores.views.versionPath({ ...APP, resource: 'git.app' }, version);
    expect(path).toMatchObject({
      resource: 'git.app',
      version,
      fields: { ref: 'a' },
      path: [
        { job: 'unit', build: { number: '1', status: 'succeeded' }, retries: [] },
        { job: 'image', build: { number: '1', status: 'succeeded' }, retries: [] },
        { job: 'deploy', build: { number: '1', status: 'pending' }, retries: [] },
        { job: 'tidy', retries: [] },
      ],
    });
    expect(path?.path[3]).not.toHaveProperty('build');
  });

  test('a version of another resource, or one that does not exist, has no path', async () => {
    const [version = 0] = await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await stores.views.versionPath({ ...APP, resource: 'git.image' }, version)).toBeUndefined();
    expect(await stores.views.versionPath({ ...APP, resource: 'git.app' }, version + 1)).toBeUndefined();
  });
});

test('the last check of a resource has its output and the number of failures', async () => {
  const scope = saved.resources[0]?.scope ?? 0;
  for (const error of ['once', 'twice']) {
    await stores.checks.requestCheck({ ...APP, resource: 'git.app' }, 'manual', new Date());
    const opened = await stores.checks.openRun([scope], 'manual', new Date());
    const run = opened?.run ?? 0;
    await stores.checks.recordCheck({ run, scope, error, log: `tried ${error}\n` }, new Date());
    await stores.checks.closeRun(run, new Date());
  }
  expect(await stores.views.check({ ...APP, resource: 'git.app' })).toMatchObject({
    running: false,
    failures: 2,
    error: 'twice',
    output: 'tried twice\n',
    stalled: false,
  });
  expect(await stores.views.check({ ...APP, resource: 'git.nobody' })).toBeUndefined();
});

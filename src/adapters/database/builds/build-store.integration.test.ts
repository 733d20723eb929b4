import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, followOn, retryOn, scheduleOn, stateOn, triggerOn } from '#testing/stores/schedule.ts';
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
const now = (): Date => new Date();
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
});
afterAll(async () => await stores.close());

const schedule = async (): Promise<string[]> => {
  const { builds } = await scheduleOn(stores, saved.id, now());
  await giveTurns(stores);
  return builds.map((build) => `${build.job} ${build.number}`);
};
const trigger = async (name = 'unit') => await triggerOn(stores, { ...APP, job: name }, 'ann', now());
const oldestBuild = async (): Promise<number> => (await stores.builds.buildsToStart(1))[0]?.id ?? 0;
const isDelayed = async (build: number): Promise<boolean> =>
  await stores.pool.oneFirst(rows<{ delayed: boolean }>()`
    SELECT start_after IS NOT NULL AS delayed FROM builds WHERE id = ${build}`);
const EVENTS = eventsOf(['0', '1'], '2026-11-21T10:00:00.000Z');

describe('deciding', () => {
  test('four schedulers at the same moment make each build once', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }, { ref: 'c' }]);
    const created = await Promise.all([1, 2, 3, 4].map(() => schedule()));
    expect(created.flat()).toEqual(['unit 1', 'unit 2', 'unit 3']);
  });

  test('a version that comes while a decision is made is not lost', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    const reading = Promise.withResolvers<void>();
    const late = reading.promise.then(() => recordFoundVersions(stores, saved, [{ ref: 'b' }]));
    const slowDecision: typeof decideBuilds = (facts) => {
      reading.resolve();
      return decideBuilds(facts);
    };
    await scheduleOn(stores, saved.id, now(), slowDecision);
    await late;
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([saved.id]);
    expect(await schedule()).toEqual(['unit 2']);
  });

  test('more than a hundred builds of a job take several decisions', async () => {
    const refs = Array.from({ length: 130 }, (_, index) => ({ ref: String(index) }));
    await recordFoundVersions(stores, saved, refs);
    expect(await schedule()).toHaveLength(100);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([saved.id]);
    expect(await schedule()).toHaveLength(30);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
  });

  test('only the newest version that passed reaches the next job, one build at a time', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await schedule();
    await succeed(stores, 'unit');
    expect(await schedule()).toEqual(['publish 1']);
    expect((await stores.builds.attemptFacts(await oldestBuild(), 1))?.versions).toEqual([{ ref: 'b' }]);
    // `publish` must have started: a newer set of versions would supersede a queued build.
    await giveTurns(stores);
    const publish = await oldestBuild();
    const steps = (await stateOn(stores, publish, 1))?.steps.map((step) => step.id) ?? [];
    const [firstEvent, ...laterEvents] = eventsOf(steps, now().toISOString());
    await stores.builds.podCreated(publish, 1, 'pod-of-publish', now());
    await followOn(stores, publish, 1, firstEvent === undefined ? [] : [firstEvent]);
    await recordFoundVersions(stores, saved, [{ ref: 'c' }]);
    await schedule();
    await succeed(stores, 'unit');
    expect(await schedule()).toEqual([]);
    await followOn(stores, publish, 1, laterEvents);
    expect(await schedule()).toEqual(['publish 2']);
    await succeed(stores, 'publish');
    expect(await schedule()).toEqual([]);
  });

  test('a version of a failed build does not pass', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const end = { outcome: 'failed', reason: 'StepFailed', message: 'no', at: now() } as const;
    expect(await endOn(stores, await oldestBuild(), 1, end)).toBe('ended');
    expect(await schedule()).toEqual([]);
    expect(await trigger('publish')).toEqual({
      answer: 'refused',
      reasons: [{ code: 'NothingPassed', message: 'No version of git.app has passed unit yet.' }],
    });
  });
});

describe('a trigger', () => {
  test('fifty concurrent triggers give fifty builds with consecutive numbers', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const answers = await Promise.all(Array.from({ length: 50 }, () => trigger()));
    const numbers = answers.map((answer) => (answer.answer === 'created' ? Number(answer.build.number) : 0));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2));
  });

  test('a trigger takes a new version, which then starts no automatic build', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await trigger()).toMatchObject({ answer: 'created', build: { number: '1' } });
    expect(await schedule()).toEqual([]);
  });

  test('a trigger of an unknown job creates nothing, and one without versions is refused with a reason', async () => {
    expect(await trigger('none')).toEqual({ answer: 'unknown' });
    expect(await trigger()).toMatchObject({ answer: 'refused', reasons: [{ code: 'NoVersion' }] });
  });
});

describe('starting', () => {
  test('a build needs a Pod until it has one, and again for its next attempt', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const build = await oldestBuild();
    await stores.builds.podCreated(build, 1, 'pod-1', now());
    await stores.builds.podCreated(build, 1, 'pod-1', now());
    expect(await stores.builds.buildsToStart(10)).toEqual([]);
    expect(await stores.builds.openAttempts()).toMatchObject([{ id: build, attempt: 1, podUid: 'pod-1' }]);
    expect(await retryOn(stores, build, 1, { reason: 'PodLost: The Pod is gone.', at: now() })).toBe(
      'retried',
    );
    expect(await retryOn(stores, build, 1, { reason: 'once more', at: now() })).toBe('over');
    expect(await isDelayed(build)).toBe(true);
    await stores.pool.query(rows()`UPDATE builds SET start_after = now() WHERE id = ${build}`);
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ id: build, attempt: 2 }]);
    expect(await stores.builds.attemptFacts(build, 1)).toBeUndefined();
    expect(await followOn(stores, build, 1, EVENTS)).toBe('over');
    expect(
      await endOn(stores, build, 1, {
        outcome: 'failed',
        reason: 'PodLost',
        message: '',
        at: now(),
      }),
    ).toBe('over');
  });

  test('a build whose steps had run is retried without a delay', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const build = await oldestBuild();
    await followOn(stores, build, 1, EVENTS.slice(0, 2));
    await retryOn(stores, build, 1, { reason: 'PodLost: The Pod is gone.', at: now() });
    expect(await isDelayed(build)).toBe(false);
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ id: build, attempt: 2 }]);
  });

  test('an attempt whose steps only the termination message reports counts as a retry', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const build = await oldestBuild();
    const end = { outcome: 'failed', reason: 'PodLost', message: '' } as const;
    const termination = { format: 1, ...end, exits: { '0': 0 }, acknowledged: 0 } as const;
    await retryOn(stores, build, 1, { reason: 'PodLost: gone', at: now(), termination });
    expect(await stores.builds.attemptFacts(build, 2)).toMatchObject({ retries: 1 });
  });

  test('an attempt that is followed by another leaves no step open', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const build = await oldestBuild();
    await followOn(stores, build, 1, EVENTS.slice(0, 2));
    await retryOn(stores, build, 1, { reason: 'PodLost: gone', at: now() });
    expect((await stateOn(stores, build, 1))?.steps).toMatchObject([
      { status: 'failed', message: 'its end was never reported' },
      { status: 'skipped' },
    ]);
  });

  test('a build that ends before it starts has only skipped steps', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    await stores.pipelines.removePipeline(APP);
    await stores.pipelines.savePipeline(toSave(samplePipeline()));
    expect(await stores.views.build({ ...APP, job: 'unit', number: '1' })).toMatchObject({
      status: 'cancelled',
      steps: [{ status: 'skipped' }, { status: 'skipped' }],
    });
  });

  test('a build whose Pod was refused says why and lets others go first', async () => {
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await schedule();
    await stores.builds.explainPending(await oldestBuild(), 'QuotaExceeded: enough is enough');
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ number: '2' }]);
    expect(await stores.views.build({ ...APP, job: 'unit', number: '1' })).toMatchObject({
      status: 'pending',
      message: 'QuotaExceeded: enough is enough',
    });
  });
});

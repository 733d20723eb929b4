import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { TerminationMessage } from '#domain/build/events.ts';
import { DEFAULT_LOG_BYTES, LOG_CUT_LINE } from '#domain/build/log-limit.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { BuildEnd } from '#flows/builds/ports.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, followOn, retryOn, scheduleOn, stateOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  giveTurns,
  openStores,
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
const oldestBuild = async (): Promise<number> => (await stores.builds.buildsToStart(1))[0]?.id ?? 0;
const EVENTS = eventsOf(['0', '1'], '2026-11-21T10:00:00.000Z');

const firstBuild = async (): Promise<number> => {
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await schedule();
  return await oldestBuild();
};

describe('events', () => {
  test('events count once, even if many processes send them at once, in parts and repeatedly', async () => {
    const id = await firstBuild();
    const batches = [EVENTS.slice(0, 2), EVENTS.slice(0, 4), EVENTS.slice(2, 5), EVENTS, EVENTS];
    await Promise.all(batches.map((events) => followOn(stores, id, 1, events)));
    await followOn(stores, id, 1, EVENTS);
    const state = await stateOn(stores, id, 1);
    expect(state).toMatchObject({ status: 'succeeded', applied: EVENTS.length });
    const logs = await stores.views.logs({ ...APP, job: 'unit', number: '1' }, 0);
    expect(logs?.chunks.map((chunk) => chunk.text)).toEqual(['step 0\n', 'step 1\n']);
    expect(logs).toMatchObject({ complete: true, hasMore: false });
    expect(await schedule()).toEqual(['publish 1']);
  });

  test('events show the progress of steps before the end', async () => {
    const id = await firstBuild();
    await followOn(stores, id, 1, EVENTS.slice(0, 4));
    expect(await stores.views.build({ ...APP, job: 'unit', number: '1' })).toMatchObject({
      status: 'started',
      startedAt: new Date('2026-11-21T10:00:00Z'),
      inputs: [{ name: 'app', resource: 'git.app', fields: { ref: 'a' } }],
      steps: [
        { id: '0', kind: 'get', name: 'git.app', status: 'succeeded', exitCode: 0 },
        { id: '1', kind: 'task', name: 'test', status: 'started' },
      ],
    });
  });

  test('events after the end of the build are refused, and earlier ones are still acknowledged', async () => {
    const id = await firstBuild();
    await followOn(stores, id, 1, EVENTS.slice(0, 3));
    await endOn(stores, id, 1, { outcome: 'failed', reason: 'PodLost', message: 'gone', at: now() });
    expect(await followOn(stores, id, 1, EVENTS)).toBe('over');
    expect(await followOn(stores, id, 1, EVENTS.slice(0, 3))).toMatchObject({
      acknowledged: 3,
    });
    expect(await stores.views.build({ ...APP, job: 'unit', number: '1' })).toMatchObject({
      status: 'failed',
      reason: 'PodLost',
      steps: [{ status: 'succeeded' }, { status: 'skipped' }],
    });
  });

  test('events with text that Postgres refuses do not stop the build', async () => {
    const id = await firstBuild();
    const events = EVENTS.map((event) => {
      if (event.type === 'log') return { ...event, text: 'a\0b' };
      return event.type === 'step-ended' || event.type === 'build-ended'
        ? { ...event, message: 'a\0b' }
        : event;
    });
    await followOn(stores, id, 1, events);
    expect(await stores.views.build({ ...APP, job: 'unit', number: '1' })).toMatchObject({
      status: 'succeeded',
    });
    const logs = await stores.views.logs({ ...APP, job: 'unit', number: '1' }, 0);
    expect(logs?.chunks[0]?.text).toBe('a\0b');
  });

  test('events of a lost attempt stay in the log before those of the next one, under one cursor', async () => {
    const id = await firstBuild();
    const ref = { ...APP, job: 'unit', number: '1' };
    await followOn(stores, id, 1, EVENTS.slice(0, 2));
    await retryOn(stores, id, 1, { reason: 'PodLost: The Pod is gone.', at: now() });
    await followOn(stores, id, 2, EVENTS);
    const logs = await stores.views.logs(ref, 0);
    expect(logs?.chunks.map(({ attempt, text }) => [attempt, text])).toEqual([
      [1, 'step 0\n'],
      [2, 'step 0\n'],
      [2, 'step 1\n'],
    ]);
    expect(logs?.retried).toEqual([{ attempt: 1, reason: 'PodLost: The Pod is gone.' }]);
    const nextPage = await stores.views.logs(ref, logs?.chunks[1]?.sequence ?? 0);
    expect(nextPage?.chunks.map(({ text }) => text)).toEqual(['step 1\n']);
  });

  test('a log that comes in several batches is cut at the limit, whatever the agent sends', async () => {
    const id = await firstBuild();
    const at = EVENTS[0]?.at ?? '';
    const logEvent = (sequence: number) => ({
      sequence,
      at,
      type: 'log' as const,
      step: '0',
      text: 'x'.repeat(1000),
    });
    await followOn(stores, id, 1, [{ sequence: 1, at, type: 'step-started', step: '0' }]);
    await stores.pool.query(
      rows()`UPDATE build_attempts SET log_bytes = ${DEFAULT_LOG_BYTES - 1500} WHERE build_id = ${id}`,
    );
    for (const sequence of [2, 3, 4, 5]) {
      expect(await followOn(stores, id, 1, [logEvent(sequence)])).toMatchObject({
        acknowledged: sequence,
      });
    }
    const logs = await stores.views.logs({ ...APP, job: 'unit', number: '1' }, 0);
    expect(logs?.chunks.map(({ text }) => text)).toEqual([
      'x'.repeat(1000),
      `${'x'.repeat(500)}\n${LOG_CUT_LINE}\n`,
    ]);
  });

  test('a log is cut at the limit that the installation sets', async () => {
    const id = await firstBuild();
    const at = EVENTS[0]?.at ?? '';
    const ports = { builds: stores.builds, notifications: { notify: () => undefined }, logLimitBytes: 1500 };
    const text = 'x'.repeat(1000);
    await followBuild(
      { build: id, attempt: 1 },
      [
        { sequence: 1, at, type: 'step-started', step: '0' },
        { sequence: 2, at, type: 'log', step: '0', text },
        { sequence: 3, at, type: 'log', step: '0', text },
      ],
      ports,
    );
    const logs = await stores.views.logs({ ...APP, job: 'unit', number: '1' }, 0);
    expect(logs?.chunks.map((chunk) => chunk.text)).toEqual([text, `${'x'.repeat(500)}\n${LOG_CUT_LINE}\n`]);
  });

  test('a large log is stored compressed and read back whole', async () => {
    const id = await firstBuild();
    const text = 'the same line again and again\n'.repeat(2000);
    const events = [
      { sequence: 1, at: EVENTS[0]?.at ?? '', type: 'step-started' as const, step: '0' },
      { sequence: 2, at: EVENTS[0]?.at ?? '', type: 'log' as const, step: '0', text },
    ];
    await followOn(stores, id, 1, events);
    const logs = await stores.views.logs({ ...APP, job: 'unit', number: '1' }, 0);
    expect(logs?.chunks[0]?.text).toBe(text);
    expect(logs).toMatchObject({ complete: false, hasMore: false });
  });
});

/** The end of a build whose agent could not report it. */
const unreportedEnd = (overrides: Partial<TerminationMessage> = {}): BuildEnd => {
  const end = {
    outcome: 'succeeded',
    reason: 'AllStepsSucceeded',
    message: 'All steps succeeded.',
  } as const;
  const termination = {
    format: 1,
    ...end,
    exits: { '0': 0, '1': 0 },
    acknowledged: 0,
    ...overrides,
  } as const;
  return { ...end, at: now(), termination };
};

describe('a put', () => {
  const withPut = samplePipeline({
    resources: [resource('git.app'), resource('git.image')],
    jobs: [
      job('publish', get('git.app'), put('git.image')),
      job('deploy', get('git.image', { passed: ['publish'] }), task('roll out')),
      job('scan', get('git.image'), task('look')),
    ],
  });
  const events = EVENTS.map((event) =>
    event.type === 'step-ended' && event.step === '1' ? { ...event, version: { tag: '1.0' } } : event,
  );

  test('a put makes a version that triggers and has passed its job', async () => {
    saved = await stores.pipelines.savePipeline(toSave(withPut));
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    expect(await schedule()).toEqual(['publish 1']);
    const build = await oldestBuild();
    await followOn(stores, build, 1, events.slice(0, 6));
    expect(await schedule()).toEqual(['scan 1']);
    await followOn(stores, build, 1, events);
    expect(await schedule()).toEqual(['deploy 1']);
    expect(
      (await stores.views.versions({ ...APP, resource: 'git.image' }, { limit: 5 }))?.rows,
    ).toMatchObject([{ fields: { tag: '1.0' } }]);
  });

  test.each([0, 3, 4])(
    'a put that only the termination message reports makes its version (after %d events)',
    async (count) => {
      saved = await stores.pipelines.savePipeline(toSave(withPut));
      await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
      await schedule();
      const build = await oldestBuild();
      await followOn(stores, build, 1, events.slice(0, count));
      const end = unreportedEnd({ versions: { '1': { tag: '1.0' } } });
      expect(await endOn(stores, build, 1, end)).toBe('ended');
      expect(await endOn(stores, build, 1, end)).toBe('over');
      expect(await schedule()).toEqual(['deploy 1', 'scan 1']);
      expect(await stores.views.build({ ...APP, job: 'publish', number: '1' })).toMatchObject({
        status: 'succeeded',
        steps: [
          { status: 'succeeded', exitCode: 0 },
          { status: 'succeeded', exitCode: 0 },
        ],
      });
    },
  );

  test('a put whose version was too long for the termination message fails and passes nothing', async () => {
    saved = await stores.pipelines.savePipeline(toSave(withPut));
    await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
    await schedule();
    const build = await oldestBuild();
    await followOn(stores, build, 1, events.slice(0, 4));
    expect(await endOn(stores, build, 1, unreportedEnd())).toBe('ended');
    expect(await schedule()).toEqual([]);
    expect(await stores.views.build({ ...APP, job: 'publish', number: '1' })).toMatchObject({
      status: 'failed',
      reason: 'VersionLost',
      steps: [{}, { status: 'succeeded', message: 'its version is lost' }],
    });
  });

  test('a put of a known version makes no second one', async () => {
    saved = await stores.pipelines.savePipeline(toSave(withPut));
    await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
    await schedule();
    for (const build of await stores.builds.buildsToStart(10)) {
      await followOn(stores, build.id, 1, events);
    }
    expect(await schedule()).toEqual(['deploy 1', 'scan 1']);
    expect((await stores.views.versions({ ...APP, resource: 'git.image' }, { limit: 5 }))?.rows).toHaveLength(
      1,
    );
  });
});

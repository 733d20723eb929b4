import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { rows } from '#adapters/database/connection/pool.ts';
import type { WorkSession } from '#domain/build/agent-session.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, retryOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

const now = (): Date => new Date();
let stores: TestStores;
let builds: number[];

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(
    stores,
    saved,
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((ref) => ({ ref })),
  );
  await scheduleOn(stores, saved.id, now());
  await giveTurns(stores);
  builds = (await stores.builds.buildsToStart(10)).map((build) => build.id);
});
afterAll(async () => await stores.close());

const buildSession = (index: number): WorkSession => ({
  kind: 'build',
  build: builds[index] ?? 0,
  attempt: 1,
});
const open = async (session: WorkSession, key: string, pod = 'pod') =>
  await stores.sessions.openSession(session, key, pod, now());

describe('a session of a build', () => {
  test('a session belongs to the first key, and the same key may ask again', async () => {
    expect(await open(buildSession(0), 'first')).toBe('opened');
    expect(await open(buildSession(0), 'first')).toBe('same');
    expect(await open(buildSession(0), 'second')).toBe('taken');
    expect(await stores.sessions.sessionOf('first')).toEqual(buildSession(0));
    expect(await stores.sessions.sessionOf('second')).toBeUndefined();
  });

  test('exactly one of many racing keys opens a session', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `racer-${index}`);
    const answers = await Promise.all(keys.map((key) => open(buildSession(1), key)));
    expect(answers.filter((answer) => answer === 'opened')).toHaveLength(1);
    expect(answers.filter((answer) => answer === 'taken')).toHaveLength(19);
  });

  test('an attempt gets identity tokens up to a limit, and none once it has ended', async () => {
    const attempt = { build: builds[8] ?? 0, attempt: 1 };
    const count = async (tokens: number) =>
      await stores.sessions.countIdentityTokens(attempt, { count: tokens, max: 5 });
    expect(await Promise.all([count(2), count(2), count(2)])).toEqual(
      expect.arrayContaining(['counted', 'counted', 'too-many']),
    );
    expect([await count(1), await count(1)]).toEqual(['counted', 'too-many']);
    const other = { build: attempt.build, attempt: 2 };
    expect(await stores.sessions.countIdentityTokens(other, { count: 1, max: 5 })).toBe('over');
    const end = { outcome: 'failed', reason: 'PodLost', message: 'gone', at: now() } as const;
    await endOn(stores, attempt.build, 1, end);
    expect(await count(1)).toBe('over');
  });

  test('one key that asks many times at once gets one session', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => open(buildSession(2), 'eager')));
    expect(answers.toSorted()).toEqual(['opened', ...Array.from({ length: 9 }, () => 'same')]);
  });

  test('only the Pod that was created can open the session', async () => {
    await stores.builds.podCreated(builds[3] ?? 0, 1, 'the-pod', now());
    expect(await open(buildSession(3), 'other', 'another-pod')).toBe('taken');
    expect(await open(buildSession(3), 'own', 'the-pod')).toBe('opened');
  });

  test('a session records the Pod if the operator died before it recorded the Pod', async () => {
    const session = buildSession(6);
    const racers = Array.from({ length: 10 }, (_, index) => open(session, `unwritten-${index}`, 'its-pod'));
    expect((await Promise.all(racers)).filter((answer) => answer === 'opened')).toHaveLength(1);
    const attempts = await stores.builds.openAttempts();
    expect(attempts.find(({ id }) => id === builds[6])).toMatchObject({
      podUid: 'its-pod',
      podCreatedAt: expect.any(Date),
    });
    expect((await stores.builds.buildsToStart(10)).map(({ id }) => id)).not.toContain(builds[6]);
  });

  test('opening a session and recording its Pod do not deadlock', async () => {
    const build = builds[7] ?? 0;
    const untilWaiting = async (count: number): Promise<void> => {
      const lockWaits = rows<{
        count: number;
      }>()`SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'
        AND datname = current_database()`;
      while ((await stores.pool.oneFirst(lockWaits)) < count) await setTimeout(10);
    };
    const holder = new Client({ connectionString: stores.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT 1 FROM builds WHERE id = $1 FOR UPDATE', [build]);
    const opening = open(buildSession(7), 'meeting', 'its-pod');
    await untilWaiting(1);
    const writing = stores.builds.podCreated(build, 1, 'its-pod', now());
    await untilWaiting(2);
    await holder.query('COMMIT');
    expect((await Promise.all([opening, writing]))[0]).toBe('opened');
    // Postgres aborts one of two deadlocked transactions and the pool repeats it, so only the counter shows a
    // deadlock.
    const { rows: counts } = await holder.query(
      `SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()`,
    );
    expect(counts).toEqual([{ deadlocks: 0 }]);
    await holder.end();
  });

  test('a session ends with its attempt and with its build', async () => {
    await retryOn(stores, builds[4] ?? 0, 1, { reason: 'PodLost', at: now() });
    expect(await open(buildSession(4), 'late')).toBe('over');
    const end = { outcome: 'failed', reason: 'PodLost', message: '', at: now() } as const;
    expect(await open(buildSession(5), 'early')).toBe('opened');
    await endOn(stores, builds[5] ?? 0, 1, end);
    expect(await open(buildSession(5), 'early')).toBe('over');
    expect(await open({ kind: 'build', build: 987_654, attempt: 1 }, 'lost')).toBe('over');
  });
});

test('opening a session marks its check run as seen; closing the run ends the session', async () => {
  const [due] = await stores.checks.dueChecks(new Date(Date.now() + 10 ** 9), 1);
  const opened = await stores.checks.openRun([due?.scope ?? 0], 'manual', new Date(Date.now() + 10 ** 9));
  const session: WorkSession = { kind: 'checks', run: opened?.run ?? 0 };
  expect(await open(session, 'checker')).toBe('opened');
  expect(await open(session, 'checker')).toBe('same');
  expect(await open(session, 'other')).toBe('taken');
  expect(await stores.sessions.sessionOf('checker')).toEqual(session);
  expect(await stores.checks.openRuns()).toMatchObject([{ run: opened?.run, seen: true }]);
  await stores.checks.closeRun(opened?.run ?? 0, now());
  expect(await open(session, 'checker')).toBe('over');
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, retryOn, scheduleOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  storesOver,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';
import { EpochOver, holdEpoch } from './fence.ts';
import { rows } from './pool.ts';

const now = (): Date => new Date();
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
});
afterAll(async () => await stores.close());

const storesOfLeader = (epoch: number) => storesOver({ pool: stores.pool, epoch: () => epoch });

test('epochs grow by one, and only the newest is current', async () => {
  const first = await stores.leaders.takeEpoch('one');
  const second = await stores.leaders.takeEpoch('two');
  expect(second).toBe(first + 1);
  expect(await stores.leaders.isCurrent(first)).toBe(false);
  expect(await stores.leaders.isCurrent(second)).toBe(true);
});

describe('a leader whose epoch is over', () => {
  const end = { outcome: 'failed', reason: 'PodLost', message: '', at: now() } as const;
  type Stores = ReturnType<typeof storesOfLeader>;
  const writes: Record<string, (old: Stores, build: number) => Promise<unknown>> = {
    'an old leader decides nothing': (old) => scheduleOn(old, saved.id, now()),
    'an old leader records no Pod': (old, build) => old.builds.podCreated(build, 1, 'pod', now()),
    'an old leader ends no build': (old, build) => endOn(old, build, 1, end),
    'an old leader retries no build': (old, build) => retryOn(old, build, 1, { reason: 'again', at: now() }),
    'an old leader saves no pipeline': (old) => old.pipelines.savePipeline(toSave(samplePipeline())),
    'an old leader removes no pipeline': (old) =>
      old.pipelines.removePipeline({ team: 'main', pipeline: 'app' }),
    'an old leader saves no team': (old) => old.teams.saveTeam({ name: 'main', namespace: 'main' }),
    'an old leader starts no check': (old) =>
      old.checks.openRun([saved.resources[0]?.scope ?? 0], 'manual', new Date(Date.now() + 10 ** 9)),
    'an old leader closes no check': (old) => old.checks.closeRun(1, now()),
    'an old leader explains no build': (old, build) =>
      old.builds.explainPending(build, 'QuotaExceeded: pods'),
    'an old leader explains no held build': (old, build) =>
      old.builds.explainHeld([{ build, code: 'StartWindow', reason: 'Full.' }]),
    'an old leader explains no full namespace': (old) =>
      old.builds.explainFull('main', 'QuotaExceeded: pods'),
    'an old leader retries no refused build': (old) => old.builds.tryRefused('main'),
    'an old leader retries no refused builds of a team': (old) => old.builds.tryAllRefused('main'),
    'an old leader wakes no trigger': (old) => old.builds.wakeLateTriggers(),
    'an old leader explains no hooks': (old) => old.checks.explainHooks(1, 'A limit was reached.'),
    'an old leader adds no warm Pod': (old) =>
      old.warmPods.add('main', { namespace: 'main', shape: 'a', at: now() }),
    'an old leader records no warm Pod': (old) => old.warmPods.created(1, { name: 'pod', uid: 'uid' }),
    'an old leader fails no warm Pod': (old) => old.warmPods.fail(1, 'lost'),
    'an old leader removes no warm Pod': (old) => old.warmPods.remove(1),
    'an old leader removes no used warm Pods': (old) => old.warmPods.removeUsed(now()),
    'an old leader releases no caches': (old, build) =>
      old.caches.releaseCaches({ pipelineId: saved.id, build, attempt: 1 }),
    'an old leader leaves out no cache': (old, build) =>
      old.caches.leaveOut(
        { pipelineId: saved.id, build, attempt: 1 },
        { cache: 1, generation: 0, resource: 'git.app' },
      ),
    'an old leader counts no nodes': (old) => old.workers.saveWorkers(new Map([['main', []]])),
  };

  test.each(Object.entries(writes))('%s, but the new leader does', async (_, write) => {
    await scheduleOn(stores, saved.id, now());
    await giveTurns(stores);
    const build = (await stores.builds.buildsToStart(1))[0]?.id ?? 0;
    const old = storesOfLeader(await stores.leaders.takeEpoch('old'));
    const current = storesOfLeader(await stores.leaders.takeEpoch('new'));
    await expect(write(old, build)).rejects.toThrow(EpochOver);
    await write(current, build);
  });
});

test('a new leader waits for the writes of the old one', async () => {
  const epoch = await stores.leaders.takeEpoch('old');
  const order: string[] = [];
  const writing = Promise.withResolvers<void>();
  const taking = writing.promise
    .then(() => stores.leaders.takeEpoch('new'))
    .then(() => order.push('the new one leads'));
  const waits = writing.promise.then(async () => await untilSomeoneWaits());
  await stores.pool.transaction(async (connection) => {
    await holdEpoch({ pool: stores.pool, epoch: () => epoch }, connection);
    writing.resolve();
    await waits;
    order.push('the old one is done');
  });
  await taking;
  expect(order).toEqual(['the old one is done', 'the new one leads']);
});

async function untilSomeoneWaits(): Promise<void> {
  const waiting = rows()`
    SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while (!(await stores.pool.exists(waiting))) await new Promise((resolve) => setImmediate(resolve));
}

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { sql } from 'slonik';
import { rows } from '#adapters/database/connection/pool.ts';
import { createLogPartitions } from '#adapters/database/migrate.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { recordFoundVersions, openStores, succeed, toSave, type TestStores } from '#testing/stores/stores.ts';
import { dropEmptyLogPartitions } from './drop-log-partitions.ts';

const MONTHS = ['build_logs_2025_01', 'build_logs_2025_02', 'build_logs_2025_03', 'build_logs_2025_04'];
const MAY = new Date('2025-05-02T00:00:00Z');
let stores: TestStores;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  await createLogPartitions(stores.pool, new Date('2025-01-15T00:00:00Z'));
});

/** Makes an ended build with a log, as if it had been created on this day. */
async function makeEndedBuild(day: string): Promise<void> {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
  await scheduleOn(stores, saved.id, new Date(day));
  await succeed(stores, 'unit');
}

test('tables of past months without a log are dropped; tables of this month and later stay', async () => {
  expect(await dropEmptyLogPartitions(stores.pool, new Date('2025-03-20T00:00:00Z'))).toEqual(
    MONTHS.slice(0, 2),
  );
  expect(await dropEmptyLogPartitions(stores.pool, new Date('2025-03-20T00:00:00Z'))).toEqual([]);
});

/** The time this many hours after the beginning of February. */
const february = (hours: number): Date => new Date(Date.UTC(2025, 1, 1, hours));

test('the table of a month that has just ended stays for a day', async () => {
  expect(await dropEmptyLogPartitions(stores.pool, february(12))).toEqual([]);
  expect(await dropEmptyLogPartitions(stores.pool, february(25))).toEqual(MONTHS.slice(0, 1));
});

test('a table with a log stays with its content', async () => {
  await makeEndedBuild('2025-02-10T00:00:00Z');
  expect(await dropEmptyLogPartitions(stores.pool, MAY)).toEqual([
    'build_logs_2025_01',
    'build_logs_2025_03',
    'build_logs_2025_04',
  ]);
  const log = await stores.views.logs({ team: 'main', pipeline: 'app', job: 'unit', number: '1' }, 0);
  expect(log?.chunks.length).toBeGreaterThan(0);
});

test('the table of a month stays while a build of that month or earlier may still write', async () => {
  await makeEndedBuild('2025-02-10T00:00:00Z');
  await stores.pool.query(rows()`DELETE FROM build_logs`);
  await stores.pool.query(rows()`UPDATE builds SET ended_at = NULL WHERE number = 1`);
  expect(await dropEmptyLogPartitions(stores.pool, MAY)).toEqual(['build_logs_2025_01']);
});

test('dropping tables does not block writers of logs', async () => {
  const writing = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const writer = stores.pool.transaction(async (connection) => {
    await connection.query(sql.unsafe`LOCK TABLE build_logs IN ROW EXCLUSIVE MODE`);
    writing.resolve();
    await done.promise;
  });
  await writing.promise;
  expect(await dropEmptyLogPartitions(stores.pool, MAY)).toEqual([]);
  done.resolve();
  await writer;
  expect(await dropEmptyLogPartitions(stores.pool, MAY)).toEqual(MONTHS);
});

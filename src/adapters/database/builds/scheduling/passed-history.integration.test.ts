import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { GetStep } from '#domain/pipeline/steps.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { fillTables, fillWithHistory } from '#testing/stores/filled-history.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';

const BUILDS = 20_000;
/** A get looks among 1,000 good versions. A decision reads them several times. */
const MAX_READ = 5000;
let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;
let pipeline: number;

/** A job that has built each of the many versions that passed. */
beforeAll(async () => {
  const everyPassed: GetStep = {
    kind: 'get',
    name: 'app',
    resource: 'git.app',
    trigger: true,
    passed: ['unit'],
    version: 'every',
  };
  const jobs = [job('unit', get('git.app'), task('test')), job('publish', everyPassed, task('push'))];
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  pipeline = (await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })))).id;
  await fillWithHistory(stores.pool, BUILDS, new Date());
  await fillTables(stores.pool, async (connection) => {
    await connection.query(rows()`
      UPDATE good_versions g SET place = g.version_id,
        scope_id = (SELECT r.scope_id FROM resources r WHERE r.id = g.resource_id)`);
    await connection.query(rows()`UPDATE job_gets SET dealt_with = 0 WHERE passed <> '{}'`);
    await connection.query(rows()`
      INSERT INTO build_inputs (build_id, position, job_id, name, resource_id, version_id, used)
      SELECT build_id + 1000000, 0, (SELECT id FROM jobs WHERE name = 'publish'), 'app', resource_id, version_id, true
      FROM build_inputs`);
  });
});
afterAll(async () => {
  await stores.close();
});
afterEach(async () => {
  await pool.end();
});

test.each([
  ['with the values of its parameters', 'force_custom_plan'],
  ['without them, as a prepared statement may be,', 'force_generic_plan'],
])('a decision planned %s does not read all versions that ever passed', async (_, mode) => {
  const url = new URL(stores.url);
  url.searchParams.set('options', `-c plan_cache_mode=${mode}`);
  pool = await openPool(url.href, { maximumConnections: 1 });
  await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
  const before = await entriesRead();
  await scheduleOn(storesOver({ pool }), pipeline, new Date());
  const read = (await entriesRead()) - before;
  expect(read).toBeLessThan(MAX_READ);
  // The get has looked at a page of good versions.
  expect(read).toBeGreaterThan(1000);
});

/** How many entries of the indexes of good versions have been read. */
async function entriesRead(): Promise<number> {
  await pool.query(rows()`SELECT pg_stat_force_next_flush()`);
  return await pool.oneFirst(rows<{ count: number }>()`
    SELECT sum(idx_tup_read) AS count FROM pg_stat_user_indexes WHERE relname = 'good_versions'`);
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { logMonth } from '#adapters/database/builds/log-chunks.ts';
import { openPool, rows, type Transaction } from '#adapters/database/connection/pool.ts';
import { retainNext } from '#flows/retention/retain-history.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fillTables, fillWithHistory, rowsFetched, rowsScanned } from '#testing/stores/filled-history.ts';
import { openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';

const BUILDS = 100_000;
const REVISIONS = 500;
/**
 * One step reads a hundred builds, five hundred versions or a thousand records, and the rows that belong to
 * them.
 */
const MAX_ROWS = 5000;
const CREATED_AT = new Date();
const LATER = new Date(CREATED_AT.getTime() + 30 * 86_400_000);
const LOGS = `build_logs_${logMonth(CREATED_AT).slice(0, 7).replace('-', '_')}`;
const TABLES = [
  'builds',
  'versions',
  'build_inputs',
  'build_outputs',
  'good_versions',
  'build_attempts',
  'build_steps',
  'build_votes',
  'agent_sessions',
  'job_triggers',
  'check_runs',
  'revisions',
  LOGS,
];
let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await fillWithHistory(stores.pool, BUILDS, CREATED_AT);
  await fillTables(stores.pool, addOtherRecords);
  pool = await openPool(stores.url, { maximumConnections: 1 });
}, 600_000);
afterAll(async () => {
  await pool.end();
  await stores.close();
});

test('no step of retention scans history, however long it is', async () => {
  const { retention } = storesOver({ pool });
  const retainOnce = async () => await retainNext(retention, LATER);
  const removed: Record<string, unknown> = {};
  const faults: string[] = [];
  const steps: Record<string, () => Promise<unknown>> = {
    'the oldest builds': retainOnce,
    'old revisions': async () => {
      await pool.query(rows()`UPDATE jobs SET retained_to = ${BUILDS - 50} WHERE name = 'unit'`);
      await pool.query(rows()`UPDATE jobs SET retained_at = ${LATER.toISOString()} WHERE name <> 'unit'`);
      return await retainOnce();
    },
    'the oldest versions': retainOnce,
    'records of checks and requests': async () => {
      await pool.query(rows()`UPDATE check_scopes SET retained_at = ${LATER.toISOString()}`);
      return await retainOnce();
    },
  };
  for (const [name, step] of Object.entries(steps)) {
    const [scanned, fetched] = [await rowsScanned(pool, TABLES), await rowsFetched(pool, TABLES)];
    removed[name] = await step();
    for (const [table, count] of await rowsScanned(pool, TABLES))
      if (count - (scanned.get(table) ?? 0) > REVISIONS) faults.push(`${name}: reads through ${table}`);
    for (const [table, count] of await rowsFetched(pool, TABLES))
      if (count - (fetched.get(table) ?? 0) > MAX_ROWS) faults.push(`${name}: ${count} rows of ${table}`);
  }
  expect(faults).toEqual([]);
  expect(removed).toEqual({
    'the oldest builds': { builds: 100, logs: 0, versions: 0, records: 0 },
    'old revisions': { builds: 0, logs: 0, versions: 0, records: 100 },
    'the oldest versions': { builds: 0, logs: 0, versions: 0, records: 0 },
    'records of checks and requests': { builds: 0, logs: 0, versions: 0, records: 2000 },
  });
}, 600_000);

/** Adds a row to each other table for every build, and as many check runs. */
async function addOtherRecords(connection: Transaction): Promise<void> {
  const [createdAt, month] = [CREATED_AT.toISOString(), logMonth(CREATED_AT)];
  await connection.query(rows()`
    INSERT INTO agent_sessions (build_id, attempt, key_hash, pod_uid, opened_at)
    SELECT id, 1, 'b' || id, 'pod', ${createdAt} FROM builds`);
  await connection.query(rows()`
    INSERT INTO build_outputs (build_id, attempt, step, resource_id, version_id)
    SELECT i.build_id, 1, '0', i.resource_id, i.version_id FROM build_inputs i`);
  await connection.query(rows()`
    INSERT INTO build_votes (build_id, voter, approve, voted_at) SELECT id, 'ann', true, ${createdAt} FROM builds`);
  await connection.query(rows()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, build_id) SELECT job_id, 'ann', ${createdAt},
      id FROM builds`);
  await connection.query(rows()`
    INSERT INTO job_triggers (job_id, requested_by, requested_at, refused) SELECT job_id, 'ann', ${createdAt},
      '[]' FROM builds`);
  await connection.query(rows()`
    INSERT INTO build_logs (month, build_id, attempt, sequence, step, logged_at, encoding, content)
    SELECT ${month}::date, id, 1, 1, '0', ${createdAt}, 'plain', '' FROM builds`);
  await connection.query(rows()`
    INSERT INTO check_runs (pipeline_id, check_group, cause, opened_at, closed_at, revision_id)
    SELECT r.pipeline_id, 'g', 'schedule', ${createdAt}, ${createdAt}, r.id FROM revisions r, generate_series(1, ${BUILDS})`);
  await connection.query(rows()`
    INSERT INTO agent_sessions (run_id, key_hash, pod_uid, opened_at) SELECT id, 'c' || id, 'pod', ${createdAt}
      FROM check_runs`);
  await connection.query(rows()`
    INSERT INTO revisions (pipeline_id, number, digest, config, definition, actor, created_at)
    SELECT pipeline_id, n, n, config, definition, actor, ${createdAt} FROM revisions, generate_series(2, ${REVISIONS}) n`);
  await connection.query(rows()`UPDATE pipelines SET revision = ${REVISIONS}`);
}

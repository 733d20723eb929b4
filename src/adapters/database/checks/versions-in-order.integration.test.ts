import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const QUIET = { ...APP, resource: 'git.app' };
const MANY = 120_000;
/** The most rows of versions that one of the queries below may read. */
const MAX_READ = 1000;
const definition = samplePipeline({
  resources: [resource('git.app'), resource('git.lib')],
  jobs: [job('unit', get('git.app'), task('test')), job('lib', get('git.lib'), task('test'))],
});
let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;
let saved: SavedPipeline;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(definition));
  const scopes = saved.resources.map(({ scope }) => scope);
  await insertVersions(scopes, 500);
  await stores.pool.query(rows()`ANALYZE`);
  // Without another ANALYZE, Postgres still estimates that both resources have equally many versions.
  await insertVersions(scopes.slice(1, 2), MANY);
  await stores.pool.query(rows()`
    UPDATE job_gets g SET dealt_with = (SELECT max(v.id) FROM versions v WHERE v.scope_id = r.scope_id)
    FROM resources r WHERE r.id = g.resource_id`);
});
afterAll(async () => {
  await stores.close();
});
afterEach(async () => {
  await pool.end();
});

async function insertVersions(scopes: number[], count: number): Promise<void> {
  for (const scope of scopes)
    await stores.pool.query(rows()`
      INSERT INTO versions (scope_id, digest, fields, found_at)
      SELECT ${scope}, sha256((${count} || '-' || n)::bytea), '{}', now()
      FROM generate_series(1, ${count}::integer) n`);
}

test.each([
  ['with the values of its parameters', 'force_custom_plan'],
  ['without them, as a prepared statement may be,', 'force_generic_plan'],
])('a query planned %s reads few versions of a resource, however many there are', async (_, mode) => {
  const url = new URL(stores.url);
  url.searchParams.set('options', `-c plan_cache_mode=${mode}`);
  pool = await openPool(url.href, { maximumConnections: 1 });
  const { actions, builds, checks, pipelines, views } = storesOver({ pool });
  const at = new Date();
  await stores.checks.requestCheck(QUIET, 'manual', at);
  const opened = await stores.checks.openRun(
    saved.resources.slice(0, 1).map(({ scope }) => scope),
    'manual',
    at,
  );
  if (opened === undefined) throw new Error('The resource is not due.');
  await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
  await stores.actions.pauseJob({ ...APP, job: 'unit' }, 'ann');
  const queries: Record<string, () => Promise<unknown>> = {
    'what its check knows': () => checks.runFacts(opened.run),
    'a decision': () => scheduleOn({ builds }, saved.id, at),
    'the end of a pause': () => actions.unpauseJob({ ...APP, job: 'unit' }),
    'its view': () => views.resource(QUIET),
    'its newest versions': () => views.versions(QUIET, { limit: 50 }),
    'its oldest versions': () => views.versions(QUIET, { limit: 50, after: 1 }),
    'versions before one': () => views.versions(QUIET, { limit: 50, before: MANY }),
    'another job that takes it': () =>
      pipelines.savePipeline(
        toSave(
          { ...definition, jobs: [...definition.jobs, job(`more-${mode}`, get('git.app'), task('test'))] },
          { digest: mode },
        ),
      ),
  };
  const slow: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const before = await versionsRead();
    await query();
    const read = (await versionsRead()) - before;
    if (read > MAX_READ) slow.push(`${name}: ${read}`);
  }
  expect(slow).toEqual([]);
  await stores.checks.closeRun(opened.run, at);
});

/** How many entries of the table of versions and of its indexes have been read. */
async function versionsRead(): Promise<number> {
  await pool.query(rows()`SELECT pg_stat_force_next_flush()`);
  return await pool.oneFirst(rows<{ count: number }>()`
    SELECT sum(idx_tup_read) + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'versions') AS count
    FROM pg_stat_user_indexes WHERE relname = 'versions'`);
}

import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { sql, type DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { PipelineToSave, SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fillWithHistory, rowsFetched, rowsScanned } from '#testing/stores/filled-history.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { giveTurns, openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Nearly all builds of an installation have ended, so Postgres estimates that hardly any build is open, even
 * if a pipeline has just got a thousand. A plan that reads all open builds once for each job then looks
 * cheap, but takes many seconds, and all teams wait. In a new installation, the plan of a prepared statement
 * may be older than all of its builds.
 */

const APP = { team: 'main', pipeline: 'app' };
const WIDE = 'wide';
const TABLES = ['builds', 'jobs', 'job_gets', 'job_triggers', 'resources', 'versions', 'pipelines'];
const JOBS = 1000;
const HISTORY = 5000;
/** How often one query may read each row of the burst. A query has several subqueries that read it. */
const MAX_READS = 20;
const now = (): Date => new Date();

let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;

beforeEach(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 8 });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
});
afterEach(async () => {
  await pool.end();
  await stores.close();
});

test('no query reads the builds of a burst once for each of its jobs', async () => {
  await fillWithHistory(stores.pool, HISTORY, now());
  await keepStatistics();
  const wide = await saveBurst();
  pool = await openPool(stores.url, { maximumConnections: 1 });
  expect(await tooManyReads(await queriesOn(wide))).toEqual([]);
});

test('no prepared statement planned before the burst reads them once for each job', async () => {
  await keepStatistics();
  const url = new URL(stores.url);
  url.searchParams.set('options', '-c plan_cache_mode=force_generic_plan');
  pool = await openPool(url.href, { maximumConnections: 1 });
  const small = await stores.pipelines.savePipeline(wideToSave('small', 'small', 8));
  for (const query of Object.values(await queriesOn(small, 'small', 8))) await query();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 8 });
  expect(await tooManyReads(await queriesOn(await saveBurst()))).toEqual([]);
});

/** Keeps Postgres from learning how large the tables have become. */
async function keepStatistics(): Promise<void> {
  for (const table of TABLES)
    await stores.pool.query(rows()`ALTER TABLE ${sql.identifier([table])} SET (autovacuum_enabled = false)`);
}

async function saveBurst(): Promise<SavedPipeline> {
  const wide = await stores.pipelines.savePipeline(wideToSave('first'));
  await stores.pool.query(rows()`
    INSERT INTO builds (job_id, revision_id, number, cause, created_at, status, wants_pod)
    SELECT j.id, r.id, 1, '{"kind": "version"}', now(), 'pending', false
    FROM jobs j JOIN revisions r ON r.pipeline_id = j.pipeline_id WHERE j.pipeline_id = ${wide.id}`);
  return wide;
}

/** Queries on a saved pipeline. The last ones remove it and its team. */
async function queriesOn(
  { id }: SavedPipeline,
  pipeline = WIDE,
  count = JOBS,
): Promise<Record<string, () => Promise<unknown>>> {
  const name = { team: 'main', pipeline };
  const { access, actions, builds, pipelines, show, teams, views, warmPods } = storesOver({ pool });
  const newest = (await views.versions({ ...name, resource: 'git.app' }, { limit: 1 }))?.rows[0]?.id ?? 0;
  return {
    'pipelines to schedule': () => builds.pipelinesToSchedule(50),
    'a decision': () => scheduleOn({ builds }, id, now()),
    'a trigger': () => triggerOn({ builds }, { ...name, job: 'job-7' }, 'ann', now()),
    'a trigger in another pipeline': () => triggerOn({ builds }, { ...APP, job: 'unit' }, 'ann', now()),
    'the turns of the team': async () => await giveTurns({ builds }),
    'builds to start': () => builds.buildsToStart(128),
    'the delayed builds': async () => {
      await builds.explainFull('main', 'TeamLimit: enough');
      await builds.nextStartMs();
      await builds.tryRefused('main');
      await builds.tryAllRefused('main');
    },
    'Pods that are starting': () => builds.startingPods(),
    'open attempts': () => builds.openAttempts(),
    'the status of the pipeline': () => pipelines.pipelineFacts(name),
    'the activity of the team': () => warmPods.activity('main', now()),
    'the use of the team': () => access.teamUse.useOf('main'),
    'the cards of the overview': () => show.cardRows(['main'], 100),
    'the state of the picture': () => show.state(id),
    'the list of pipelines': () => views.pipelines('main'),
    'the list of jobs': () => views.jobs(name),
    'why its jobs wait': () => views.waiting(name),
    'a pin': () => actions.pin({ ...name, resource: 'git.app' }, { version: newest, by: 'ann' }),
    'a retry': () => actions.retryBuild({ ...name, job: 'job-7', number: '1' }, 'ann'),
    'a cancel': () => actions.cancelBuild({ ...name, job: 'job-7', number: '1' }, 'ann'),
    'a change of the pipeline': () => pipelines.savePipeline(wideToSave('second', pipeline, count)),
    'a change of a source': () =>
      pipelines.savePipeline(withOtherSource(wideToSave('other', pipeline, count))),
    'a change that removes jobs': () => pipelines.savePipeline(wideToSave('third', pipeline, count - 3)),
    'the end of the pipeline': () => pipelines.removePipeline(name),
    'the end of the team': () => teams.removeTeam('main'),
  };
}

function wideToSave(digest: string, pipeline = WIDE, count = JOBS): PipelineToSave {
  const sample = samplePipeline();
  const jobs = sample.jobs
    .filter(({ name }) => name === 'unit')
    .flatMap((job) => Array.from({ length: count }, (_, index) => ({ ...job, name: `job-${index}` })));
  return { ...toSave({ ...sample, jobs }), team: 'main', pipeline, uid: pipeline, digest };
}

function withOtherSource(saved: PipelineToSave): PipelineToSave {
  const { definition } = saved;
  const resources = definition.resources.map((resource) => ({
    ...resource,
    params: { ...resource.params, uri: 'https://other.example/app.git' },
  }));
  return { ...saved, definition: { ...definition, resources } };
}

/** The queries that read a table too often, as `query: table rows`. */
async function tooManyReads(queries: Record<string, () => Promise<unknown>>): Promise<string[]> {
  const excesses: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const before = await rowsRead();
    await query();
    for (const [table, count] of await rowsRead()) {
      const read = count - (before.get(table) ?? 0);
      if (read > MAX_READS * JOBS) excesses.push(`${name}: ${table} ${read}`);
    }
  }
  return excesses;
}

async function rowsRead(): Promise<Map<string, number>> {
  const fetched = await rowsFetched(pool, TABLES);
  const scanned = await rowsScanned(pool, TABLES);
  return new Map(TABLES.map((table) => [table, (fetched.get(table) ?? 0) + (scanned.get(table) ?? 0)]));
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { PipelineToSave, SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fillWithHistory, rowsFetched, rowsScanned } from '#testing/stores/filled-history.ts';
import { scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import { giveTurns, openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';

/*
 * Nearly all builds of an installation have ended, so Postgres estimates that hardly any build is open, even
 * if a pipeline has just got a thousand. A plan that reads all open builds once for each job then looks
 * cheap, but takes many seconds, and all teams wait.
 */

const APP = { team: 'main', pipeline: 'app' };
const WIDE = { team: 'main', pipeline: 'wide' };
const TABLES = ['builds', 'jobs', 'job_gets', 'job_triggers', 'resources', 'versions', 'pipelines'];
const JOBS = 1000;
const HISTORY = 5000;
/** How often one query may read each row of the burst. A query has several subqueries that read it. */
const MAX_READS = 20;
const now = (): Date => new Date();

let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;
let wide: SavedPipeline;
let newest = 0;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 8 });
  await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await fillWithHistory(stores.pool, HISTORY, now());
  await stores.pool.query(rows()`ALTER TABLE builds SET (autovacuum_enabled = false)`);
  wide = await stores.pipelines.savePipeline(wideToSave('first'));
  await stores.pool.query(rows()`
    INSERT INTO builds (job_id, revision_id, number, cause, created_at, status, wants_pod)
    SELECT j.id, r.id, 1, '{"kind": "version"}', now(), 'pending', false
    FROM jobs j JOIN revisions r ON r.pipeline_id = j.pipeline_id WHERE j.pipeline_id = ${wide.id}`);
  pool = await openPool(stores.url, { maximumConnections: 1 });
});
afterAll(async () => {
  await pool.end();
  await stores.close();
});

test('no query reads the builds of a burst once for each of its jobs', async () => {
  const { access, actions, builds, pipelines, show, teams, views, warmPods } = storesOver({ pool });
  const queries: Record<string, () => Promise<unknown>> = {
    'pipelines to schedule': () => builds.pipelinesToSchedule(50),
    'a decision': () => scheduleOn({ builds }, wide.id, now()),
    'a trigger': () => triggerOn({ builds }, { ...WIDE, job: 'job-7' }, 'ann', now()),
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
    'the status of the pipeline': () => pipelines.pipelineFacts(WIDE),
    'the activity of the team': () => warmPods.activity('main', now()),
    'the use of the team': () => access.teamUse.useOf('main'),
    'the cards of the overview': () => show.cardRows(['main'], 100),
    'the state of the picture': () => show.state(wide.id),
    'the list of pipelines': () => views.pipelines('main'),
    'the list of jobs': () => views.jobs(WIDE),
    'why its jobs wait': () => views.waiting(WIDE),
    'a pin': () => actions.pin({ ...WIDE, resource: 'git.app' }, { version: newest, by: 'ann' }),
    'a retry': () => actions.retryBuild({ ...WIDE, job: 'job-7', number: '1' }, 'ann'),
    'a cancel': () => actions.cancelBuild({ ...WIDE, job: 'job-7', number: '1' }, 'ann'),
    'a change of the pipeline': () => pipelines.savePipeline(wideToSave('second')),
    'a change of a source': () => pipelines.savePipeline(withOtherSource(wideToSave('other'))),
    'a change that removes jobs': () => pipelines.savePipeline(wideToSave('third', JOBS - 10)),
    'the end of the pipeline': () => pipelines.removePipeline(WIDE),
    'the end of the team': () => teams.removeTeam('main'),
  };
  newest = (await views.versions({ ...WIDE, resource: 'git.app' }, { limit: 1 }))?.rows[0]?.id ?? 0;
  expect(await tooManyReads(queries)).toEqual([]);
});

function wideToSave(digest: string, count = JOBS): PipelineToSave {
  const sample = samplePipeline();
  const jobs = sample.jobs
    .filter(({ name }) => name === 'unit')
    .flatMap((job) => Array.from({ length: count }, (_, index) => ({ ...job, name: `job-${index}` })));
  return { ...toSave({ ...sample, jobs }), ...WIDE, uid: 'wide', digest };
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

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { fillWithHistory, rowsScanned } from '#testing/stores/filled-history.ts';
import { followOn, scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  giveTurns,
  openStores,
  storesOver,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();
const BUILDS = 20_000;
const TABLES = ['builds', 'versions', 'build_inputs', 'good_versions', 'build_attempts', 'build_steps'];
let stores: TestStores;
/** Only one connection, so that its counters can be queried. */
let pool: DatabasePool;
let saved: SavedPipeline;

beforeAll(async () => {
  stores = await openStores();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline()));
  await fillWithHistory(stores.pool, BUILDS, now());
  pool = await openPool(stores.url, { maximumConnections: 1 });
});
afterAll(async () => {
  await pool.end();
  await stores.close();
});

test('no query on the way from a version to its build scans history', async () => {
  const { builds, checks, sessions, views } = storesOver({ pool });
  const queries: Record<string, () => Promise<unknown>> = {
    'due checks': () => checks.dueChecks(now(), 100),
    'recorded versions': () => recordFoundVersions({ checks }, saved, [{ ref: 'a' }, { ref: 'b' }]),
    'pipelines to schedule': () => builds.pipelinesToSchedule(50),
    'a decision': () => scheduleOn({ builds }, saved.id, now()),
    'a trigger': () => triggerOn({ builds }, { ...APP, job: 'unit' }, 'ann', now()),
    'the turns of the team': async () => await giveTurns({ builds }),
    'builds to start': () => builds.buildsToStart(32, ['elsewhere']),
    'the delayed builds': async () => {
      await builds.explainFull('main', 'TeamLimit: enough');
      await builds.explainPending((await builds.buildsToStart(1))[0]?.id ?? 0, 'QuotaExceeded: no room');
      await builds.nextStartMs();
      await builds.tryRefused('main');
    },
    'a build from its session to its end': async () => {
      const id = (await builds.buildsToStart(1))[0]?.id ?? 0;
      await builds.podCreated(id, 1, 'pod', now());
      await builds.recordedPod(id, 1);
      await sessions.openSession({ kind: 'build', build: id, attempt: 1 }, 'key', 'pod', now());
      await sessions.sessionOf('key');
      await builds.attemptFacts(id, 1);
      await followOn({ builds }, id, 1, eventsOf(['0', '1'], now().toISOString()));
    },
    'the decision on what passed': () => scheduleOn({ builds }, saved.id, now()),
    'open attempts': () => builds.openAttempts(),
    'a page of builds': () => views.builds({ ...APP, job: 'unit' }, { limit: 50, before: BUILDS / 2 }),
    'a page of versions': () =>
      views.versions({ ...APP, resource: 'git.app' }, { limit: 50, before: BUILDS / 2 }),
    'a build and its log': async () => {
      await views.build({ ...APP, job: 'unit', number: '777' });
      await views.logs({ ...APP, job: 'unit', number: '777' }, 0);
    },
  };
  expect(await tableScans(queries, TABLES)).toEqual([]);
});

test('no query on the way from hooks to the builds that wait for them scans history', async () => {
  const { builds, checks } = storesOver({ pool });
  const pipelineWithHooks = { ...toSave(withHooks()), pipeline: 'with-hooks' };
  const { id, resources } = await stores.pipelines.savePipeline(pipelineWithHooks);
  await fillWithHooks(stores.pool, resources[0]?.id ?? 0);
  const recordVersion = async (): Promise<unknown> => {
    await checks.requestCheck({ team: 'main', pipeline: 'with-hooks', resource: 'git.app' }, 'manual', now());
    return await recordFoundVersions({ checks }, { resources }, [{ ref: 'of hooks' }]);
  };
  const openHookRun = async (): Promise<number> => (await checks.openHookRuns())[0]?.run ?? 0;
  const queries: Record<string, () => Promise<unknown>> = {
    'recorded versions': recordVersion,
    'a decision while they wait': () => scheduleOn({ builds }, id, now()),
    'open hooks': openHookRun,
    'all open runs': () => checks.openRuns(),
    'what an agent gets': async () => await checks.runFacts(await openHookRun()),
    'why there is no Pod': async () => await checks.explainHooks(await openHookRun(), 'no room'),
    'the end of hooks': async () => await checks.recordHooks(await openHookRun(), { results: [] }, now()),
    'the decision that follows': () => scheduleOn({ builds }, id, now()),
  };
  expect(await tableScans(queries, [...TABLES, 'check_runs', 'hook_runs'])).toEqual([]);
  expect(
    (await stores.views.builds({ team: 'main', pipeline: 'with-hooks', job: 'unit' }, { limit: 5 }))?.rows,
  ).toHaveLength(1);
});

function withHooks(): Pipeline {
  const run = { runner: 'shell', cmd: 'tell' } as const;
  return samplePipeline({
    jobs: samplePipeline().jobs.map((job) => ({ ...job, onTrigger: [{ kind: 'command', run }] })),
  });
}

/** The queries that scan a table, as `query: table`. */
async function tableScans(
  queries: Record<string, () => Promise<unknown>>,
  tables: readonly string[],
): Promise<string[]> {
  const scans: string[] = [];
  for (const [name, query] of Object.entries(queries)) {
    const before = await rowsScanned(pool, tables);
    await query();
    const after = await rowsScanned(pool, tables);
    for (const [table, count] of after) if (count > (before.get(table) ?? 0)) scans.push(`${name}: ${table}`);
  }
  return scans;
}

/** Inserts as many ended runs of hooks as there are builds. */
async function fillWithHooks(connection: DatabasePool, resource: number): Promise<void> {
  await connection.query(rows()`
    WITH runs AS (
      INSERT INTO check_runs (pipeline_id, check_group, cause, opened_at, closed_at)
      SELECT p.id, 'on-trigger', 'version', now(), now() FROM pipelines p, generate_series(1, ${BUILDS})
      WHERE p.name = 'with-hooks'
      RETURNING id)
    INSERT INTO hook_runs (run_id, resource_id, first_version, last_version, held_until, open)
    SELECT id, ${resource}::bigint, 0, 0, now(), false FROM runs`);
  await connection.query(rows()`ANALYZE`);
}

import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { DatabasePool } from 'slonik';
import { applyEvents } from '#domain/build/apply-events.ts';
import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import type { SavedPipeline } from '#flows/ports.ts';
import { fillWithHistory, rowsReadThrough } from '#testing/filled-history.ts';
import { samplePipeline } from '#testing/sample-pipeline.ts';
import {
  eventsOf,
  found,
  giveTurns,
  openStores,
  storesOver,
  toSave,
  type TestStores,
} from '#testing/stores.ts';
import { openPool } from './pool.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();
const BUILDS = 20_000;
const TABLES = ['builds', 'versions', 'build_inputs', 'good_versions', 'build_attempts', 'build_steps'];
let stores: TestStores;
/** One connection only, so that its counters can be asked for. */
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

test('nothing on the way from a version to its build reads through history', async () => {
  const { builds, checks, sessions, views } = storesOver({ pool });
  const ways: Record<string, () => Promise<unknown>> = {
    'due checks': () => checks.dueChecks(now(), 100),
    'recorded versions': () => found({ checks }, saved, [{ ref: 'a' }, { ref: 'b' }]),
    'pipelines to schedule': () => builds.pipelinesToSchedule(50),
    'a decision': () => builds.schedule(saved.id, decideBuilds, now()),
    'a trigger': () => builds.trigger({ ...APP, job: 'unit' }, 'ann', decideBuilds, now()),
    'whose turn it is': async () => await giveTurns({ builds }),
    'builds to start': () => builds.buildsToStart(32, ['elsewhere']),
    'what is put off': async () => {
      await builds.explainFull('main', 'TeamLimit: enough');
      await builds.explainPending((await builds.buildsToStart(1))[0]?.id ?? 0, 'QuotaExceeded: no room');
      await builds.nextStartMs();
      await builds.tryRefused('main');
    },
    'a build from its session to its end': async () => {
      const id = (await builds.buildsToStart(1))[0]?.id ?? 0;
      await builds.podCreated(id, 1, 'pod', now());
      await sessions.openSession({ kind: 'build', build: id, attempt: 1 }, 'key', 'pod', now());
      await sessions.sessionOf('key');
      await builds.attemptFacts(id, 1);
      await builds.applyEvents(id, 1, eventsOf(['0', '1'], now().toISOString()), applyEvents);
    },
    'the decision on what passed': () => builds.schedule(saved.id, decideBuilds, now()),
    'open attempts': () => builds.openAttempts(),
    'a page of builds': () => views.builds({ ...APP, job: 'unit' }, { limit: 50, before: BUILDS / 2 }),
    'a page of versions': () =>
      views.versions({ ...APP, resource: 'git.app' }, { limit: 50, before: BUILDS / 2 }),
    'a build and its log': async () => {
      await views.build({ ...APP, job: 'unit', number: '777' });
      await views.logs({ ...APP, job: 'unit', number: '777' }, 0);
    },
  };
  const readThrough: string[] = [];
  for (const [name, way] of Object.entries(ways)) {
    const before = await rowsReadThrough(pool, TABLES);
    await way();
    const after = await rowsReadThrough(pool, TABLES);
    for (const [table, count] of after)
      if (count > (before.get(table) ?? 0)) readThrough.push(`${name}: ${table}`);
  }
  expect(readThrough).toEqual([]);
});

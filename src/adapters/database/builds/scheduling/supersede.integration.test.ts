import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { decideBuilds } from '#domain/scheduling/decide-builds.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, scheduleOn, triggerOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const now = (): Date => new Date();
let stores: TestStores;

beforeAll(async () => {
  stores = await openStores();
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 1 });
});
afterAll(async () => await stores.close());

/**
 * Saves a pipeline whose job `ship` takes the newest version. Its builds wait while `busy` has the team's
 * only slot.
 */
async function savePipeline(
  shipOptions: Partial<Job> = {},
): Promise<{ findVersion: (ref: string) => Promise<void>; id: number }> {
  const latest = { ...get('git.app'), version: 'latest' as const };
  const busy = job('busy', get('git.app', { trigger: false }), task('run'));
  const ship: Job = { ...job('ship', latest, task('run')), ...shipOptions };
  const definition = samplePipeline({ jobs: [busy, job('later', get('git.app', { trigger: false })), ship] });
  const saved = await stores.pipelines.savePipeline(toSave(definition));
  return {
    id: saved.id,
    findVersion: async (ref) => {
      await recordFoundVersions(stores, saved, [{ ref }]);
      await scheduleOn(stores, saved.id, now());
    },
  };
}

async function approve(by: string, number: string): Promise<unknown> {
  return await stores.actions.vote({ ...APP, job: 'ship', number }, { by, approve: true });
}

async function triggerJob(name: string): Promise<void> {
  await triggerOn(stores, { ...APP, job: name }, 'ann', now());
}

/** All builds as `job number status reason message`. */
async function buildLines(): Promise<string[]> {
  const lines = await stores.pool.any(rows<{ line: string }>()`
    SELECT concat_ws(' ', j.name, b.number, b.status, b.reason, b.message) AS line
    FROM builds b JOIN jobs j ON j.id = b.job_id ORDER BY b.id`);
  return lines.map(({ line }) => line);
}

test('a superseded build names the build that took its place in the queue', async () => {
  const { findVersion } = await savePipeline();
  await findVersion('a');
  await stores.pool.query(rows()`UPDATE builds SET admitted_at = NULL, wants_pod = false`);
  await triggerJob('busy');
  await stores.pool.query(
    rows()`UPDATE builds SET admitted_at = now() WHERE id = (SELECT max(id) FROM builds)`,
  );
  await triggerJob('later');
  await findVersion('b');
  await findVersion('c');
  expect(await buildLines()).toEqual([
    'ship 1 cancelled Superseded Build 2 took its place.',
    'busy 1 pending',
    'later 1 pending',
    'ship 2 cancelled Superseded Build 3 took its place.',
    'ship 3 pending',
  ]);
  const failure = { outcome: 'failed', reason: 'StepFailed', message: '', at: now() } as const;
  const [busy] = await stores.builds.openAttempts();
  await endOn(stores, busy?.id ?? 0, 1, failure);
  await giveTurns(stores);
  const turns = await stores.builds.openAttempts();
  expect(turns.map((build) => `${build.job} ${build.number}`)).toEqual(['ship 3']);
});

test('votes on a superseded build do not count for the newer one', async () => {
  const { findVersion } = await savePipeline({ approval: { label: 'gate', approvals: 2, notify: [] } });
  await findVersion('a');
  await approve('bob', '1');
  await findVersion('b');
  expect(await approve('eve', '2')).toMatchObject({ state: 'waiting', message: 'Approved by 1 of 2.' });
  expect(await approve('bob', '2')).toMatchObject({ state: 'approved' });
});

test('a build that begins while a newer one is decided keeps running, and the decision is repeated', async () => {
  const { findVersion, id } = await savePipeline();
  await findVersion('a');
  await triggerJob('busy');
  await stores.pool.query(
    rows()`UPDATE builds SET status = 'started' WHERE job_id = (SELECT id FROM jobs WHERE name = 'busy')`,
  );
  const [queued = 0, started = 0] = await stores.pool.anyFirst(
    rows<{ id: number }>()`SELECT id FROM builds ORDER BY id`,
  );
  await stores.pool.query(rows()`
    INSERT INTO versions (scope_id, digest, fields, found_at)
    SELECT scope_id, sha256('b'), '{"ref": "b"}', now() FROM resources`);
  await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
  let decisions = 0;
  await scheduleOn(stores, id, now(), (facts) => {
    decisions += 1;
    const decision = decideBuilds(facts);
    // As if an agent had started this build after the facts were read: it is no longer queued.
    const supersedes = decisions === 1 ? [started] : [queued];
    return { ...decision, builds: decision.builds.map((build) => ({ ...build, supersedes })) };
  });
  expect(decisions).toBe(2);
  expect(await buildLines()).toEqual([
    'ship 1 cancelled Superseded Build 2 took its place.',
    'busy 1 started',
    'ship 2 pending',
  ]);
});

test('a job that says supersede = false keeps its queued build', async () => {
  const { findVersion } = await savePipeline({ supersede: false });
  await findVersion('a');
  await findVersion('b');
  expect(await buildLines()).toEqual(['ship 1 pending']);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { CheckRunFacts } from '#flows/pods/workloads.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster } from '#testing/kubernetes/in-memory-cluster.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { rowsScanned } from '#testing/stores/filled-history.ts';
import { openStores, storesOver, toSave, type TestStores } from '#testing/stores/stores.ts';
import { startBuilds } from './start-builds.ts';

/*
 * Two teams: `greedy` has as much work as it can, `good` has a single build or check. How long `good` waits
 * must not depend on `greedy`.
 */

let stores: TestStores;
let cluster: InMemoryCluster;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  cluster = new InMemoryCluster();
  for (const team of ['greedy', 'good']) await stores.teams.saveTeam({ name: team, namespace: team });
});
afterAll(async () => await stores.close());

const now = (): Date => new Date(Date.now() + 1000);
const ports = () => ({
  ...stores,
  cluster,
  notifications: new RecordedNotifications(),
  now,
  pods: () => [...cluster.pods.values()],
});
const save = async (team: string, more: Parameters<typeof samplePipeline>[0] = {}, pipeline = 'app') =>
  await stores.pipelines.savePipeline(toSave(samplePipeline(more), { team, pipeline, namespace: team }));

/**
 * Adds pending builds of the team's first job that have had their turn, without the decisions before that.
 */
async function queue(team: string, count: number): Promise<void> {
  await stores.pool.query(rows()`
    WITH made AS (
      INSERT INTO builds (job_id, revision_id, number, cause, created_at, wants_pod, admitted_at)
      SELECT j.id, v.id, n, '{"kind":"manual"}', now(), true, now()
      FROM teams t JOIN pipelines p ON p.team_id = t.id JOIN jobs j ON j.pipeline_id = p.id AND j.position = 0
      JOIN revisions v ON v.pipeline_id = p.id CROSS JOIN generate_series(1, ${count}) AS n
      WHERE t.name = ${team} RETURNING id)
    INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, now() FROM made`);
}

describe('10,000 builds of a greedy team', () => {
  beforeEach(async () => {
    await save('greedy');
    await save('good');
    await queue('greedy', 10_000);
    await queue('good', 1);
    await stores.pool.query(rows()`ANALYZE builds`);
  });

  test('10,000 builds of a greedy team wait behind the one of another team', async () => {
    const builds = await stores.builds.buildsToStart(128);
    expect(builds).toHaveLength(128);
    expect(builds.findIndex(({ team }) => team === 'good')).toBeLessThanOrEqual(1);
  });

  test('finding the builds to start does not read through all 10,000 builds of a greedy team', async () => {
    await stores.pool.query(rows()`
      INSERT INTO builds (job_id, revision_id, number, cause, created_at, wants_pod, admitted_at, status, ended_at)
      SELECT job_id, revision_id, number + 10000 * n, cause, now(), false, now(), 'succeeded', now()
      FROM builds CROSS JOIN generate_series(1, 6) AS n`);
    await stores.pool.query(rows()`ANALYZE builds`);
    const pool = await openPool(stores.url, { maximumConnections: 1 });
    const { builds } = storesOver({ pool });
    const before = await rowsScanned(pool, ['builds']);
    expect(await builds.buildsToStart(128)).toHaveLength(128);
    expect(await rowsScanned(pool, ['builds'])).toEqual(before);
    await pool.end();
  });

  test("a greedy team fills the start window of the only node, and another team's build still starts", async () => {
    await save('good', {}, 'later');
    cluster.nodesThatTakePods = 1;
    const first = await startBuilds(ports());
    expect(first.started.filter(({ team }) => team === 'greedy')).toHaveLength(3);
    expect(first.started.filter(({ team }) => team === 'good')).toHaveLength(1);
    expect(first.window).toMatchObject({ starting: 4 });
    expect(first.againAfterMs).toBeLessThanOrEqual(250);
    expect((await startBuilds(ports())).started).toEqual([]);
  });

  test('builds of a greedy team name the start window as the reason why they wait', async () => {
    cluster.nodesThatTakePods = 1;
    await startBuilds(ports());
    const waiting = await stores.views.waiting({ team: 'greedy', pipeline: 'app', job: 'unit' });
    // The view has the newest builds; only examined builds have the window as their reason.
    const reasons = await stores.pool.anyFirst(rows<{ reason: string }>()`
      SELECT DISTINCT pending_reason AS reason FROM builds WHERE pending_reason IS NOT NULL`);
    expect(reasons).toEqual([
      'StartWindow: 4 Pods are starting on one node, where 4 may start at a time. ' +
        'The build starts when one of them runs.',
    ]);
    expect(waiting?.builds).toHaveLength(1000);
  });
});

test('a build whose agent reported, and one that cannot start, free their slots of the window', async () => {
  await save('greedy');
  await queue('greedy', 6);
  cluster.nodesThatTakePods = 1;
  const { started } = await startBuilds(ports());
  expect(started).toHaveLength(4);
  const [reported, unstartable] = started;
  await stores.sessions.openSession(
    { kind: 'build', build: reported?.id ?? 0, attempt: 1 },
    'key',
    cluster.pods.get(`app-unit-${reported?.number}-1`)?.uid ?? '',
    now(),
  );
  expect((await startBuilds(ports())).started).toHaveLength(1);
  const waiting = { name: 'agent', image: 'millrace', state: 'waiting', reason: 'ErrImagePull' } as const;
  cluster.change(`app-unit-${unstartable?.number}-1`, { containers: [waiting] });
  expect((await startBuilds(ports())).started).toHaveLength(1);
});

const everyMinute = (index: number) => ({
  ...resource('git.app'),
  name: `git.r${index}`,
  label: `r${index}`,
  tags: [`t${index}`],
});
const runFacts = async (run: number): Promise<CheckRunFacts | undefined> => await stores.checks.runFacts(run);

describe('checks of a greedy team', () => {
  test('checks started by CronJobs take no slot from another team', async () => {
    await save('greedy', {
      resources: Array.from({ length: 12 }, (_, index) => everyMinute(index)),
      jobs: [],
    });
    const due = await stores.checks.dueChecks(now(), 100);
    for (const { pipelineId, group } of due) {
      const pod = { namespace: 'greedy', uid: `uid ${group}` };
      expect(await stores.checks.openRunForPod(pipelineId, group, pod, now())).toBeDefined();
    }
    await save('good');
    const { runs, held } = await startChecks(ports());
    expect(held).toBe(0);
    expect((await runFacts(runs[0] ?? 0))?.team).toBe('good');
  });

  test('the operator starts the checks with cron expressions of all groups beyond the ten that have CronJobs', async () => {
    const resources = Array.from({ length: 14 }, (_, minute) => ({
      ...everyMinute(minute),
      tags: [],
      schedule: { kind: 'cron' as const, expression: `${minute} * * * *` },
    }));
    await save('greedy', { resources, jobs: [] });
    const timers = await stores.pool.any(rows<{ timer: string; count: number }>()`
      SELECT timer, count(*) AS count FROM check_scopes WHERE live GROUP BY timer ORDER BY timer`);
    expect(timers).toEqual([
      { timer: 'cronjob', count: 10 },
      { timer: 'operator', count: 4 },
    ]);
  });

  test('more than 1,000 due checks of one team leave a slot of the first start to another team', async () => {
    const many = Array.from({ length: 1100 }, (_, index) => everyMinute(index));
    await save('greedy', { resources: many, jobs: [] });
    await save('good');
    const { runs } = await startChecks(ports());
    const teams = await Promise.all(runs.map(async (run) => (await runFacts(run))?.team));
    expect(teams.filter((team) => team === 'good')).toHaveLength(1);
    expect(teams).toHaveLength(4);
  });
});

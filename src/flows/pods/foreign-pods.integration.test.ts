import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { rows } from '#adapters/database/connection/pool.ts';
import { compareWithPods, followGonePod, followPod } from '#flows/builds/compare-with-pods.ts';
import { scheduleJobs } from '#flows/builds/schedule-jobs.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import { runHooks } from '#flows/checks/run-hooks.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { buildLabels, labelsOfCheck, foreignActs } from '#testing/kubernetes/foreign-pods.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, followOn, retryOn } from '#testing/stores/schedule.ts';
import {
  eventsOf,
  recordFoundVersions,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';
import type { PodFacts } from './ports.ts';

const APP = { team: 'main', pipeline: 'app' };
const AT = new Date();
const END = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'Forged.', at: AT } as const;
let stores: TestStores;
let cluster: InMemoryCluster;
let presentForeign: Map<string, PodFacts>;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

const ports = () => ({
  ...stores,
  cluster,
  notifications: new RecordedNotifications(),
  foreign: new RecordedForeignPods(),
  now: () => new Date(),
  reportHangingAgent: () => undefined,
  seenStart: () => ({}),
  pods: () => [...cluster.pods.values(), ...presentForeign.values()],
});

/**
 * Of `unit`, one build runs and one is paused before its next attempt. `ship` waits for approval. Of `slow`,
 * one build runs and one is queued. A check and the hooks of `later` run.
 */
beforeEach(async () => {
  await stores.empty();
  cluster = new InMemoryCluster();
  presentForeign = new Map();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [
    job('unit', get('git.app'), task('test')),
    { ...job('ship', get('git.app'), task('roll out')), approval: { label: 'go', approvals: 1, notify: [] } },
    { ...job('slow', get('git.app'), task('test')), concurrency: 1 },
    {
      ...job('later', get('git.lib'), task('test')),
      onTrigger: [{ kind: 'command' as const, run: { runner: 'shell' as const, cmd: 'tell' } }],
    },
  ];
  const resources = [resource('git.app'), resource('git.lib')];
  const saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ resources, jobs })));
  await recordFoundVersions(stores, saved, [{ ref: 'a' }, { ref: 'b' }]);
  await recordFoundVersions(stores, { resources: saved.resources.slice(1) }, [{ ref: 'c' }]);
  await scheduleJobs(ports());
  await startBuilds(ports());
  await runHooks(ports());
  await startChecks(ports());
  await retryOn(stores, await build('unit', '2'), 1, { reason: 'PodLost: gone', at: new Date() });
  cluster.pods.delete('app-unit-2-1');
});

async function build(jobName: string, number: string): Promise<number> {
  return await stores.pool.oneFirst(rows<{ id: number }>()`
    SELECT b.id FROM builds b JOIN jobs j ON j.id = b.job_id WHERE j.name = ${jobName} AND b.number::text = ${number}`);
}

/** All rows that the events of a Pod can change. */
async function recorded(): Promise<unknown> {
  return await stores.pool.one(rows<object>()`
    SELECT (SELECT jsonb_agg(b ORDER BY b.id) FROM builds b) AS builds,
      (SELECT jsonb_agg(a ORDER BY a.build_id, a.attempt) FROM build_attempts a) AS attempts,
      (SELECT jsonb_agg(s ORDER BY s.build_id, s.attempt, s.position) FROM build_steps s) AS steps,
      (SELECT jsonb_agg(o) FROM build_outputs o) AS outputs, (SELECT jsonb_agg(g) FROM good_versions g) AS good,
      (SELECT jsonb_agg(v ORDER BY v.id) FROM versions v) AS versions,
      (SELECT jsonb_agg(r ORDER BY r.id) FROM check_runs r) AS runs,
      (SELECT jsonb_agg(c ORDER BY c.id) FROM check_scopes c) AS scopes, (SELECT jsonb_agg(h)
      FROM hook_runs h) AS hooks`);
}

test('no sequence of foreign Pods changes any record or costs a Pod', async () => {
  const states = await stores.pool.anyFirst(rows<{ state: string }>()`
    SELECT DISTINCT status || CASE WHEN admitted_at IS NULL THEN ' without a turn' ELSE '' END FROM builds ORDER BY 1`);
  expect(states).toEqual(['pending', 'pending without a turn', 'waiting without a turn']);
  const ownPods = [...cluster.pods.values()];
  const realPods = ownPods.map(({ namespace, name, uid, work }) => ({
    namespace,
    name,
    uid,
    labels:
      work.kind === 'build'
        ? buildLabels(work.build, work.attempt)
        : labelsOfCheck(work.kind === 'checks' ? work.run : undefined),
    recorded: work.kind === 'build',
  }));
  expect(realPods.map((pod) => pod.recorded)).toEqual([true, true, false, false]);
  const ids = await stores.pool.anyFirst(rows<{ id: number }>()`SELECT id FROM builds ORDER BY id`);
  const labelsOfBuilds = ids.flatMap((id) => [buildLabels(id, 1), buildLabels(id, 2)]);
  const before = await recorded();
  await fc.assert(
    fc.asyncProperty(foreignActs(realPods, labelsOfBuilds), async (acts) => {
      for (const { gone, pod } of acts) await act(gone, pod);
      await runHooks(ports());
      expect((await compareWithPods(ports())).failures).toEqual([]);
      expect(await recorded()).toEqual(before);
      expect([...cluster.pods.values()]).toEqual(ownPods);
      presentForeign.clear();
    }),
    { numRuns: 20 },
  );
});

async function act(gone: boolean, pod: PodFacts): Promise<void> {
  const key = `${pod.namespace}/${pod.name}`;
  const runs = await stores.checks.openRuns();
  if (gone) presentForeign.delete(key);
  else presentForeign.set(key, pod);
  await (gone ? followGonePod(pod, runs, ports()) : followPod(pod, runs, ports()));
}

describe('a build that was given no Pod', () => {
  const writes: Record<string, (id: number) => Promise<unknown>> = {
    'no foreign Pod ends a build that has no Pod': async (id) => await endOn(stores, id, 1, END),
    'no foreign Pod restarts a build that has no Pod': async (id) =>
      await retryOn(stores, id, 1, { reason: 'again', at: AT }),
    'no foreign Pod sends events for a build that has no Pod': async (id) =>
      await followOn(stores, id, 1, eventsOf(['0', '1'], AT.toISOString())),
    'no foreign Pod opens a session for a build that has no Pod': async (id) =>
      await stores.sessions.openSession({ kind: 'build', build: id, attempt: 1 }, `key-${id}`, 'evil', AT),
  };

  test.each(Object.entries(writes))('%s, whether it waits for approval or for its turn', async (_, write) => {
    const before = await recorded();
    for (const [jobName, number] of [
      ['ship', '1'],
      ['slow', '2'],
    ] as const)
      expect(await write(await build(jobName, number))).toBe('over');
    expect(await recorded()).toEqual(before);
    expect(await stores.views.build({ ...APP, job: 'ship', number: '1' })).toMatchObject({
      status: 'waiting',
    });
  });
});

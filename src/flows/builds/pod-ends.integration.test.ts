import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { PodFacts } from '#flows/pods/ports.ts';
import {
  agentEnded,
  ahead,
  APP,
  buildOf,
  buildPods,
  cluster,
  findRefs,
  GIT,
  now,
  podNames,
  ports,
  save,
  setAhead,
  buildView,
  stores,
  UNIT,
  useStores,
} from '#testing/flows/flows-under-test.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { retryOn, stateOn } from '#testing/stores/schedule.ts';
import { eventsOf } from '#testing/stores/stores.ts';
import { compareWithPods, followGonePod, followPod } from './compare-with-pods.ts';
import { followBuild } from './follow-build.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';
import { triggerJob } from './trigger-job.ts';

useStores();

const report = async (name: string, count: number): Promise<void> => {
  const events = eventsOf(['0', '1'], now().toISOString());
  await followBuild({ build: buildOf(name), attempt: 1 }, events.slice(0, count), ports());
};

/** The facts of a Pod whose agent ended while the gateway was unavailable. */
const terminatedWith = (versions: Record<string, Record<string, string>>): Partial<PodFacts> => {
  const end = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'All steps succeeded.' };
  const message = JSON.stringify({
    format: 1,
    ...end,
    exits: { '0': 0, '1': 0 },
    acknowledged: 4,
    versions,
  });
  return {
    phase: 'Failed',
    containers: [{ name: 'agent', image: 'millrace', state: 'terminated', message, exitCode: 0 }],
  };
};

describe('a build whose Pod', () => {
  test('vanishes before its first step gets another Pod after a pause', async () => {
    await save();
    await findRefs('a');
    cluster.pods.delete('app-unit-1-1');
    setAhead(60);
    await compareWithPods(ports());
    expect(await buildView()).toMatchObject({ status: 'pending', attempt: 2 });
    await startBuilds(ports());
    while (buildPods().length === 0) {
      await setTimeout(100);
      await startBuilds(ports());
    }
    expect(buildPods()).toEqual(['app-unit-1-2']);
  });

  test('vanishes after steps ran is repeated once, and then fails', async () => {
    await save();
    await findRefs('a');
    await report('app-unit-1-1', 4);
    cluster.pods.delete('app-unit-1-1');
    setAhead(60);
    await compareWithPods(ports());
    expect(await buildView()).toMatchObject({ status: 'pending', attempt: 2 });
    await startBuilds(ports());
    const build = buildOf('app-unit-1-2');
    await followBuild({ build, attempt: 2 }, eventsOf(['0', '1'], now().toISOString()).slice(0, 4), ports());
    cluster.pods.delete('app-unit-1-2');
    setAhead(120);
    await compareWithPods(ports());
    expect(await buildView()).toMatchObject({ status: 'failed', reason: 'PodLost', attempt: 2 });
  });

  test('vanishes after steps ran is repeated, even if the operator died before it recorded the Pod', async () => {
    await save();
    await findRefs('a');
    const buildsThatFailToRecord = {
      ...stores.builds,
      podCreated: async () => Promise.reject(new Error('killed')),
    };
    await triggerJob(UNIT, { by: 'ann' }, ports());
    await startBuilds({ ...ports(), builds: buildsThatFailToRecord });
    await report('app-unit-2-1', 4);
    setAhead(120);
    await compareWithPods(ports());
    expect(await buildView('2')).toMatchObject({ status: 'started', attempt: 1 });
    cluster.pods.delete('app-unit-2-1');
    setAhead(30);
    await compareWithPods(ports());
    expect(await buildView('2')).toMatchObject({ status: 'started', attempt: 1 });
    setAhead(120);
    await startBuilds(ports());
    await compareWithPods(ports());
    expect(await buildView('2')).toMatchObject({ status: 'pending', attempt: 2 });
  });

  test('vanishes before its first step gets another Pod, even if its Pod was never recorded', async () => {
    await save();
    await findRefs('a');
    const buildsThatFailToRecord = {
      ...stores.builds,
      podCreated: async () => Promise.reject(new Error('killed')),
    };
    await triggerJob(UNIT, { by: 'ann' }, ports());
    await startBuilds({ ...ports(), builds: buildsThatFailToRecord });
    const session = { kind: 'build', build: buildOf('app-unit-2-1'), attempt: 1 } as const;
    await stores.sessions.openSession(session, 'key', cluster.pods.get('app-unit-2-1')?.uid ?? '', now());
    cluster.pods.delete('app-unit-2-1');
    await startBuilds(ports());
    expect(podNames()).not.toContain('app-unit-2-1');
    setAhead(60);
    await compareWithPods(ports());
    expect(await buildView('2')).toMatchObject({ status: 'pending', attempt: 2 });
  });

  test('vanishes after a put began fails at once', async () => {
    const jobs = [job('unit', get('git.app'), put('git.image'))];
    await save(samplePipeline({ resources: [resource('git.app'), resource('git.image')], jobs }));
    await findRefs('a');
    await report('app-unit-1-1', 4);
    cluster.pods.delete('app-unit-1-1');
    setAhead(60);
    await compareWithPods(ports());
    expect(await buildView()).toMatchObject({ status: 'failed', reason: 'PodLost' });
    expect((await buildView())?.message).toMatch(/put git\.image had started/);
  });

  const withPut = samplePipeline({
    resources: [resource('git.app'), resource('git.image')],
    jobs: [
      job('unit', get('git.app'), put('git.image')),
      job('deploy', get('git.image', { passed: ['unit'] }), task('roll out')),
    ],
  });
  test('ends while the gateway is unavailable has the version from the termination message', async () => {
    await save(withPut);
    await findRefs('a');
    await report('app-unit-1-1', 4);
    await followPod(cluster.change('app-unit-1-1', terminatedWith({ '1': { tag: '1.0' } })), [], ports());
    expect(await buildView()).toMatchObject({
      status: 'succeeded',
      steps: [{ status: 'succeeded' }, { status: 'succeeded', exitCode: 0 }],
    });
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-deploy-1-1']);
  });

  test('ends without the gateway and with a version too long to report does not succeed', async () => {
    await save(withPut);
    await findRefs('a');
    await report('app-unit-1-1', 4);
    await followPod(cluster.change('app-unit-1-1', terminatedWith({})), [], ports());
    expect(await buildView()).toMatchObject({ status: 'failed', reason: 'VersionLost' });
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual([]);
  });

  test.each([
    ['had ended before it was deleted is judged by its end', terminatedWith({ '1': {} }), 'succeeded'],
    ['was running when it was deleted is lost', { phase: 'Running' as const }, 'failed'],
  ])('%s', async (_, last, status) => {
    await save(withPut);
    await findRefs('a');
    await report('app-unit-1-1', 4);
    const pod = cluster.change('app-unit-1-1', last);
    cluster.pods.delete('app-unit-1-1');
    await followGonePod(pod, [], ports());
    expect(await buildView()).toMatchObject({ status });
  });

  test('loses its labels continues, and its end is found although the operator no longer sees the Pod', async () => {
    await save(withPut);
    await findRefs('a');
    await report('app-unit-1-1', 3);
    const running = { phase: 'Running' as const };
    const withoutWatch = { ...ports(), pods: () => [] };
    await followGonePod(cluster.change('app-unit-1-1', running), [], withoutWatch);
    setAhead(60);
    await compareWithPods(withoutWatch);
    expect(await buildView()).toMatchObject({ status: 'started', attempt: 1 });
    cluster.change('app-unit-1-1', terminatedWith({ '1': {} }));
    await compareWithPods(withoutWatch);
    expect(await buildView()).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  test('waits for a node reports that', async () => {
    await save();
    await findRefs('a');
    await followPod(
      cluster.change('app-unit-1-1', { scheduled: false, unschedulable: '0/1 nodes are available' }),
      [],
      ports(),
    );
    expect((await buildView())?.message).toBe('Unschedulable: 0/1 nodes are available');
  });

  test('belongs to an earlier attempt loses that Pod', async () => {
    await save();
    await findRefs('a');
    const old = cluster.pods.get('app-unit-1-1');
    await retryOn(stores, buildOf('app-unit-1-1'), 1, { reason: 'again', at: now() });
    if (old !== undefined) await followPod(old, [], ports());
    expect(podNames()).not.toContain('app-unit-1-1');
  });
});

/** Methods that send no request, so they cannot fail. */
const WITHOUT_REQUEST = new Set<PropertyKey>([
  'teamPods',
  'nodeLabel',
  'runningPods',
  'nodes',
  'startsPerNode',
  'sharing',
  'cronNext',
]);

const listBuilds = async (jobName: string) =>
  (await stores.views.builds({ ...APP, job: jobName }, { limit: 50 }))?.rows ?? [];

test('each version is built once and passes all jobs, whichever calls fail in between', async () => {
  const jobs = [
    job('unit', get('git.app'), task('test')),
    job('publish', get('git.app', { passed: ['unit'] }), task('push')),
  ];
  await save(samplePipeline({ jobs }));
  await findRefs('a');
  // A seeded random source, so that a failure can be repeated.
  let seed = 7;
  const chance = (): number => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const failing = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(real, name, receiver): unknown {
        const method: unknown = Reflect.get(real, name, receiver);
        if (typeof method !== 'function' || WITHOUT_REQUEST.has(name)) return method;
        return async (...args: unknown[]): Promise<unknown> => {
          if (chance() < 0.1) throw new Error('killed before');
          const answer: unknown = await Reflect.apply(method, real, args);
          if (chance() < 0.1) throw new Error('killed after');
          return answer;
        };
      },
    });
  let crashes = 0;
  const countCrash = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch {
      crashes += 1;
    }
  };
  for (const ref of ['b', 'c', 'd', 'e']) await stores.checks.recordCheck(await openedCheck(ref), now());
  for (let round = 0; round < 60; round += 1) {
    setAhead(ahead + 20);
    const failingPorts = {
      ...ports(),
      builds: failing(stores.builds),
      checks: failing(stores.checks),
      cluster: failing(cluster),
    };
    await countCrash(() => scheduleJobs(failingPorts));
    await countCrash(() => startBuilds(failingPorts));
    for (const [name, pod] of cluster.pods) {
      if (pod.work.kind !== 'build' || pod.phase !== 'Pending') continue;
      const { build, attempt } = pod.work;
      const events = eventsOf(['0', '1'], now().toISOString());
      await countCrash(() => followBuild({ build, attempt }, events, failingPorts));
      const state = await stateOn(stores, build, attempt);
      if (state?.status === 'succeeded') cluster.change(name, agentEnded());
    }
    await countCrash(() => compareWithPods(failingPorts));
  }
  const unit = await listBuilds('unit');
  expect(unit.map(({ number }) => number)).toEqual(['5', '4', '3', '2', '1']);
  expect([...unit, ...(await listBuilds('publish'))].every(({ status }) => status === 'succeeded')).toBe(
    true,
  );
  expect(new Set(cluster.createdNames).size).toBe(cluster.createdNames.length);
  expect(buildPods()).toEqual([]);
  expect(await stores.builds.openAttempts()).toEqual([]);
  expect(crashes).toBeGreaterThan(20);
});

/** Opens a check run of `git.app`. Returns the result of a check that found the version `ref`. */
async function openedCheck(ref: string) {
  await stores.checks.requestCheck(GIT, 'manual', now());
  const [check] = await stores.checks.dueChecks(now(), 1);
  const opened = await stores.checks.openRun([check?.scope ?? 0], 'manual', now());
  return { run: opened?.run ?? 0, scope: check?.scope ?? 0, versions: [{ ref }], log: '' };
}

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { beginWarmWork } from '#flows/builds/begin-warm-work.ts';
import { compareWithPods, followGonePod, followPod } from '#flows/builds/compare-with-pods.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import { triggerJob } from '#flows/builds/trigger-job.ts';
import { agentPodsOf, noImages } from '#testing/flows/agent-ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { actionsOver } from '#testing/stores/actions.ts';
import { endOn } from '#testing/stores/schedule.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { keepWarmPods } from './keep-warm-pods.ts';
import type { PodFacts } from './ports.ts';
import type { WarmResult } from './take-warm-pod.ts';

const UNIT = { team: 'main', pipeline: 'app', job: 'unit' };
const OTHER = { ...UNIT, job: 'other' };
let stores: TestStores;
let cluster: InMemoryCluster;
let results: WarmResult[];
let aheadMs = 0;
const now = (): Date => new Date(Date.now() + aheadMs);

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());

const ports = () => ({
  ...stores,
  cluster,
  notifications: new RecordedNotifications(),
  foreign: new RecordedForeignPods(),
  now,
  reportHangingAgent: () => undefined,
  seenStart: () => ({}),
  pods: () => [...cluster.pods.values()],
  refill: true,
  warmResult: (result: WarmResult) => void results.push(result),
});

const SUCCEEDED = { outcome: 'succeeded', reason: 'AllStepsSucceeded', message: 'Done.' } as const;

beforeEach(async () => {
  await stores.empty();
  cluster = new InMemoryCluster();
  results = [];
  aheadMs = 0;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [
    job('unit', task('test')),
    job('other', task('test')),
    {
      ...job('deploy', get('git.app', { passed: ['unit'], trigger: true }), task('ship')),
      timeoutSeconds: 77,
    },
  ];
  await stores.pipelines.savePipeline(toSave(samplePipeline({ resources: [resource('git.app')], jobs })));
  // A first build, so that the job counts as recently built.
  await runInOwnPod(UNIT);
  cluster.warm = { pods: 1, idleSeconds: 600 };
});

/** Runs a build in its own Pod, which is not a warm Pod. */
async function runInOwnPod(name: typeof UNIT): Promise<void> {
  const { number } = await trigger(name);
  const { id, pod } = await buildOf(number, name.job);
  await endOn(stores, id, 1, { ...SUCCEEDED, at: now() });
  cluster.pods.delete(pod ?? [...cluster.pods.keys()][0] ?? '');
}

async function trigger(name: typeof UNIT): Promise<{ number: string }> {
  const answer = await triggerJob(name, { by: 'ann' }, ports());
  if (answer.answer !== 'created') throw new Error(JSON.stringify(answer));
  await startBuilds(ports());
  return answer.build;
}

interface BuildRow {
  id: number;
  status: string;
  attempt: number;
  wantsPod: boolean;
  pod: string | null;
  uid: string | null;
}

async function buildOf(number: string, jobName = 'unit'): Promise<BuildRow> {
  return await stores.pool.one(rows<BuildRow>()`
    SELECT b.id, b.status, b.attempt, b.wants_pod AS "wantsPod", a.pod_name AS pod, a.pod_uid AS uid
    FROM builds b JOIN jobs j ON j.id = b.job_id
      JOIN build_attempts a ON a.build_id = b.id AND a.attempt = b.attempt
    WHERE j.name = ${jobName} AND b.number::text = ${number}`);
}

const warmPods = (): PodFacts[] => [...cluster.pods.values()].filter(({ work }) => work.kind === 'warm');
const buildPods = (): PodFacts[] => [...cluster.pods.values()].filter(({ work }) => work.kind === 'build');
const states = async (): Promise<string[]> => [
  ...(await stores.pool.anyFirst(rows<{ state: string }>()`SELECT state FROM warm_pods ORDER BY id`)),
];

/** Connects the agents of all warm Pods. */
async function connectAgents(): Promise<void> {
  for (const { uid, work } of warmPods()) {
    if (work.kind !== 'warm') continue;
    await stores.sessions.openWarm(work.warm, `key of ${uid}`, uid);
    await stores.sessions.warmReady(work.warm, now());
  }
}

async function readyWarmPod(): Promise<PodFacts> {
  await keepWarmPods(ports());
  await connectAgents();
  const [pod, ...more] = warmPods();
  if (pod === undefined || more.length > 0) throw new Error(`There are ${warmPods().length} warm Pods.`);
  return pod;
}

describe('a warm Pod', () => {
  test('is taken by the next build, with the session of its agent', async () => {
    const pod = await readyWarmPod();
    const { number } = await trigger(UNIT);
    const { id, attempt, ...build } = await buildOf(number);
    expect(build).toMatchObject({ wantsPod: false, pod: pod.name, uid: pod.uid });
    expect(buildPods()).toEqual([]);
    expect(await stores.sessions.sessionOf(`key of ${pod.uid}`)).toEqual({
      kind: 'build',
      build: id,
      attempt,
    });
    expect(results).toEqual(['hit']);
    expect(await states()).toEqual(['taken']);
  });

  test('gives its agent the plan of the build that took it', async () => {
    const pod = await readyWarmPod();
    const keyHash = `key of ${pod.uid}`;
    const agent = { ...ports(), pods: agentPodsOf(() => undefined), images: noImages };
    expect(await beginWarmWork(keyHash, 'amd64', agent)).toMatchObject({ answer: 'waiting' });
    const { number } = await trigger(UNIT);
    expect(await beginWarmWork(keyHash, 'amd64', agent)).toMatchObject({
      answer: 'begin',
      work: { work: 'build', plan: { build: { job: 'unit', number } } },
    });
  });

  test('gives its agent nothing if the build that took it was cancelled before the agent asked', async () => {
    const pod = await readyWarmPod();
    const agent = { ...ports(), pods: agentPodsOf(() => undefined), images: noImages };
    const { number } = await trigger(UNIT);
    await actionsOver(ports()).cancelBuild({ ...UNIT, number }, 'ann');
    expect(await buildOf(number)).toMatchObject({ status: 'cancelled', pod: pod.name });
    expect(await beginWarmWork(`key of ${pod.uid}`, 'amd64', agent)).toEqual({ answer: 'over' });
  });

  test('is taken once: of many builds at a time, one gets it and the others get new Pods', async () => {
    await readyWarmPod();
    await Promise.all(Array.from({ length: 8 }, () => triggerJob(UNIT, { by: 'ann' }, ports())));
    const pending = await stores.builds.buildsToStart(50);
    expect(pending).toHaveLength(8);
    const toTake = { team: 'main', shape: await shapeOfPod(), at: now() };
    const answers = await Promise.all(
      pending.map(({ id, attempt }) => stores.warmPods.take({ build: id, attempt }, toTake)),
    );
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    await startBuilds(ports());
    expect(buildPods()).toHaveLength(7);
  });

  test('is taken once: one build gets one of two Pods', async () => {
    cluster.warm = { pods: 2, idleSeconds: 600 };
    await keepWarmPods(ports());
    await connectAgents();
    expect(await states()).toEqual(['ready', 'ready']);
    await triggerJob(UNIT, { by: 'ann' }, ports());
    const [build] = await stores.builds.buildsToStart(1);
    const toTake = { team: 'main', shape: await shapeOfPod(), at: now() };
    const ref = { build: build?.id ?? 0, attempt: 1 };
    const answers = await Promise.all([1, 2, 3, 4].map(() => stores.warmPods.take(ref, toTake)));
    expect(answers.filter((answer) => answer !== undefined)).toHaveLength(1);
    expect((await states()).toSorted()).toEqual(['ready', 'taken']);
  });

  test('is not taken before its agent listens, or after its row is gone', async () => {
    await keepWarmPods(ports());
    const first = await trigger(UNIT);
    expect((await buildOf(first.number)).pod).toBeNull();
    await connectAgents();
    await stores.pool.query(rows()`DELETE FROM warm_pods`);
    const second = await trigger(UNIT);
    expect((await buildOf(second.number)).pod).toBeNull();
    expect(results).toEqual(['miss', 'miss']);
  });

  test('is created for a job that was never built, while a build that triggers it runs', async () => {
    await trigger(UNIT);
    cluster.warm = { pods: 2, idleSeconds: 600 };
    await keepWarmPods(ports());
    const shapes = await stores.pool.anyFirst(rows<{ shape: string }>()`SELECT shape FROM warm_pods`);
    // The two jobs have different time limits, so different Pods.
    expect(new Set(shapes).size).toBe(2);
  });

  test('is replaced after it is taken, and also when it is deleted', async () => {
    const pod = await readyWarmPod();
    await trigger(UNIT);
    await keepWarmPods(ports());
    const [replacement] = warmPods().filter(({ uid }) => uid !== pod.uid);
    expect(replacement).toBeDefined();
    cluster.pods.delete(replacement?.name ?? '');
    await followGonePod(replacement ?? pod, [], ports());
    expect(await states()).toEqual(['taken']);
    await keepWarmPods(ports());
    expect(await states()).toEqual(['taken', 'creating']);
  });

  test('is deleted when no job was built for idleSeconds, and when the Team keeps none any more', async () => {
    await readyWarmPod();
    aheadMs = 601_000;
    await keepWarmPods(ports());
    expect([warmPods(), await states()]).toEqual([[], []]);
    aheadMs = 0;
    await readyWarmPod();
    cluster.warm = undefined;
    await keepWarmPods(ports());
    expect([warmPods(), await states()]).toEqual([[], []]);
  });
});

test('warm Pods stay while a new leader has not listed the Pods of their namespace', async () => {
  const pod = await readyWarmPod();
  aheadMs = 60_000;
  cluster.isListed = false;
  const { teams } = await keepWarmPods({ ...ports(), pods: () => [] });
  expect([teams, warmPods(), await states()]).toEqual([[], [pod], ['ready']]);
  cluster.isListed = true;
  await keepWarmPods(ports());
  expect([warmPods(), await states()]).toEqual([[pod], ['ready']]);
});

const shapeOfPod = async (): Promise<string> =>
  await stores.pool.oneFirst(rows<{ shape: string }>()`SELECT DISTINCT shape FROM warm_pods`);

describe('the build that took a warm Pod', () => {
  test('gets a new Pod if that one is gone before its first step', async () => {
    const pod = await readyWarmPod();
    const { number } = await trigger(UNIT);
    cluster.warm = undefined;
    cluster.pods.delete(pod.name);
    await followGonePod(pod, [], ports());
    expect(await buildOf(number)).toMatchObject({ attempt: 2, wantsPod: true, pod: null });
    await startBuilds(ports());
    expect(buildPods().map(({ work }) => work)).toMatchObject([{ attempt: 2 }]);
  });

  test('is judged by the end of that Pod, which is then deleted', async () => {
    const pod = await readyWarmPod();
    const { number } = await trigger(UNIT);
    const { id } = await buildOf(number);
    await followPod(pod, [], ports());
    expect(warmPods()).toHaveLength(1);
    await endOn(stores, id, 1, { ...SUCCEEDED, at: now() });
    await followPod({ ...pod, scheduledAt: now() }, [], ports());
    expect(warmPods()).toEqual([]);
    const shown = await stores.views.build({ ...UNIT, number });
    expect(shown).toMatchObject({ warmPod: true });
    expect(shown).not.toHaveProperty('podScheduledAt');
    aheadMs = 120_000;
    await keepWarmPods(ports());
    expect(await states()).not.toContain('taken');
  });
});

test('a warm Pod that ends by itself is not replaced at once, and one that somebody deleted is', async () => {
  const pod = await readyWarmPod();
  await followPod(cluster.change(pod.name, { phase: 'Failed' }), [], ports());
  expect(await states()).toEqual(['failed']);
  await keepWarmPods(ports());
  expect([warmPods(), await states()]).toEqual([[], ['failed']]);
  aheadMs = 301_000;
  await keepWarmPods(ports());
  await keepWarmPods(ports());
  const [next] = warmPods();
  await followPod({ ...(next ?? pod), deleting: true }, [], ports());
  await keepWarmPods(ports());
  expect(await states()).toEqual(['creating']);
});

describe('an operator that dies', () => {
  test('before it records a Pod leaves a Pod and a row that are both removed', async () => {
    const failing = { ...stores.warmPods, created: () => Promise.reject(new Error('killed')) };
    const { failures } = await keepWarmPods({ ...ports(), warmPods: failing });
    expect(failures).toHaveLength(1);
    expect(await states()).toEqual(['creating']);
    aheadMs = 20_000;
    await keepWarmPods({ ...ports(), pods: () => [] });
    const [lost] = warmPods().filter(({ name }) => name !== [...cluster.pods.keys()].at(-1));
    await compareWithPods(ports());
    expect(cluster.pods.has(lost?.name ?? '')).toBe(false);
    expect(await states()).toEqual(['creating']);
  });

  test('before a build takes a Pod leaves a build that takes it later', async () => {
    const pod = await readyWarmPod();
    await triggerJob(UNIT, { by: 'ann' }, ports());
    const failing = { ...stores.warmPods, take: () => Promise.reject(new Error('killed')) };
    const { failures } = await startBuilds({ ...ports(), warmPods: failing });
    expect(failures).toHaveLength(1);
    expect(buildPods()).toEqual([]);
    await startBuilds(ports());
    expect((await buildOf('2')).pod).toBe(pod.name);
    // The notification was lost too, but the agent asks again, and then has the session of the build.
    expect(await stores.sessions.sessionOf(`key of ${pod.uid}`)).toMatchObject({ kind: 'build' });
  });
});

describe('the session of a warm Pod', () => {
  test('is refused to a Pod whose uid is not recorded', async () => {
    const { work, uid } = await readyWarmPod();
    const warm = work.kind === 'warm' ? work.warm : 0;
    expect(await stores.sessions.openWarm(warm, 'key of another', 'another uid')).toEqual({ answer: 'over' });
    expect(await stores.sessions.openWarm(warm, `key of ${uid}`, uid)).toEqual({ answer: 'same' });
    expect(await stores.sessions.openWarm(999_999, 'key', uid)).toEqual({ answer: 'over' });
  });

  test('fails the Pod if a second key shows the credential, so that no build takes it', async () => {
    const { work, uid } = await readyWarmPod();
    const warm = work.kind === 'warm' ? work.warm : 0;
    expect(await stores.sessions.openWarm(warm, 'a second key', uid)).toEqual({ answer: 'taken' });
    const { number } = await trigger(UNIT);
    expect((await buildOf(number)).pod).toBeNull();
    expect(await stores.sessions.sessionOf(`key of ${uid}`)).toBeUndefined();
  });

  test('names the build to fail if a second key shows the credential afterwards', async () => {
    const { work, uid } = await readyWarmPod();
    const warm = work.kind === 'warm' ? work.warm : 0;
    const { number } = await trigger(UNIT);
    const { id: build } = await buildOf(number);
    expect(await stores.sessions.openWarm(warm, 'a second key', uid)).toEqual({
      answer: 'taken',
      build: { build, attempt: 1 },
    });
  });
});

test('a Team keeps no more warm Pods than it may run builds, and none while a build waits for quota', async () => {
  await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 2 });
  cluster.warm = { pods: 5, idleSeconds: 600 };
  await keepWarmPods(ports());
  expect(warmPods()).toHaveLength(2);
  cluster.refuse = (name) =>
    name.startsWith('app')
      ? { answer: 'refused', reason: 'QuotaExceeded', message: 'exceeded quota' }
      : undefined;
  await trigger(OTHER);
  await keepWarmPods(ports());
  expect(warmPods()).toEqual([]);
});

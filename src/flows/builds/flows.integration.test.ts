import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { PodKind } from '#domain/planning/admit-pod.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import { requestCheck } from '#flows/checks/request-check.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import type { PendingBuild } from '#flows/pods/workloads.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { ForeignPodsMet, InMemoryCluster } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, put, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { retryOn, stateOn } from '#testing/stores/schedule.ts';
import { eventsOf, openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { compareWithPods, followGonePod, followPod } from './compare-with-pods.ts';
import { followBuild } from './follow-build.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';
import { triggerJob } from './trigger-job.ts';

const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
const GIT = { ...APP, resource: 'git.app' };
let stores: TestStores;
let cluster: InMemoryCluster;
let notifications: RecordedNotifications;
/** Seconds by which the clock of the test is ahead. */
let ahead: number;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  cluster = new InMemoryCluster();
  notifications = new RecordedNotifications();
  ahead = 1;
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});

const now = (): Date => new Date(Date.now() + ahead * 1000);
const hangs = (): undefined => undefined;
const foreign = new ForeignPodsMet();
const ports = () => ({
  ...stores,
  cluster,
  notifications,
  foreign,
  now,
  hangs,
  pods: () => [...cluster.pods.values()],
});
const save = async (definition = samplePipeline(), more = {}) =>
  await stores.pipelines.savePipeline(toSave(definition, more));
const buildPods = (): string[] => podNames().filter((name) => name.startsWith('app'));
const podNames = (): string[] => [...cluster.pods.keys()].toSorted();
const agentEnded = (exitCode = 0): Partial<PodFacts> => ({
  phase: exitCode === 0 ? 'Succeeded' : 'Failed',
  containers: [{ name: 'agent', image: 'millrace', state: 'terminated', reason: 'Completed', exitCode }],
});

/** The check of `git.app` finds these. */
async function find(...refs: string[]): Promise<void> {
  await requestCheck(GIT, ports());
  const { runs } = await startChecks(ports());
  const run = runs[0] ?? 0;
  const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
  const results = [{ scope, versions: refs.map((ref) => ({ ref })), log: '' }];
  await recordVersions(run, { results, done: true }, ports());
  await compareWithPods(ports());
  await scheduleJobs(ports());
  await startBuilds(ports());
}

/** Pipelines of which a check runs. */
const checked = async (): Promise<string[]> =>
  (await stores.checks.openRuns()).map(({ pipeline }) => pipeline).toSorted();
const stateOf = async (number = '1', of = UNIT) => await stores.views.build({ ...of, number });
const buildIn = (pod: PodFacts | undefined): number => (pod?.work.kind === 'build' ? pod.work.build : 0);
const buildOf = (name: string): number => buildIn(cluster.pods.get(name));

describe('from a commit to the last job', () => {
  test('each step notifies the next, and nothing is left behind', async () => {
    const { id } = await save();
    await find('a');
    expect(buildPods()).toEqual(['app-unit-1-1']);
    const session = { build: buildOf('app-unit-1-1'), attempt: 1 };
    const events = eventsOf(['0', '1'], now().toISOString());
    notifications.sent.length = 0;
    expect(await followBuild(session, events.slice(0, 3), ports())).toEqual({
      acknowledged: 3,
      cancel: false,
    });
    const followed = `progress ${session.build}`;
    expect(notifications.sent).toEqual([`status ${id}`, followed]);
    notifications.sent.length = 0;
    await followBuild(session, events, ports());
    expect(notifications.sent).toEqual([`schedule ${id}`, `status ${id}`, followed]);
    await followPod(cluster.change('app-unit-1-1', agentEnded()), [], ports());
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-publish-1-1']);
  });

  test('a person can start a job, and is told why not', async () => {
    await save();
    expect(await triggerJob(UNIT, 'ann', ports())).toMatchObject({ answer: 'refused' });
    expect(notifications.sent).toEqual([]);
    await find('a');
    expect(await triggerJob(UNIT, 'ann', ports())).toMatchObject({
      answer: 'created',
      build: { number: '2' },
    });
    expect(notifications.sent).toContain('builds');
  });
});

describe('checks', () => {
  test('that need no Pod are answered with the time', async () => {
    const { id } = await save(samplePipeline({ resources: [resource('git.app'), resource('cron.tick')] }));
    ahead = 100;
    notifications.sent.length = 0;
    expect(await startChecks(ports())).toMatchObject({ answered: 1, runs: [expect.any(Number)] });
    const page = await stores.views.versions({ ...APP, resource: 'cron.tick' }, { limit: 1 });
    expect(page?.rows[0]?.fields['date']).toMatch(/^\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d UTC \d{4}$/);
    expect(notifications.sent).toEqual([`schedule ${id}`, `status ${id}`]);
    expect(await startChecks(ports())).toMatchObject({ answered: 0, runs: [] });
  });

  test('share a Pod by group; a group has one at a time, a team three, all together ten', async () => {
    for (const team of ['a', 'b', 'c', 'd']) {
      await stores.teams.saveTeam({ name: team, namespace: team });
      for (const pipeline of ['one', 'two', 'three', 'four']) {
        const two = samplePipeline({ resources: [resource('git.app'), resource('git.lib')] });
        await save(two, { team, pipeline, namespace: team });
      }
    }
    const first = await startChecks(ports());
    expect(first.runs).toHaveLength(10);
    expect(first.held).toBe(12);
    const runs = await stores.checks.openRuns();
    expect(
      Math.max(
        ...Map.groupBy(runs, (run) => run.team)
          .values()
          .map((of) => of.length),
      ),
    ).toBe(3);
    await stores.checks.requestCheck({ team: 'a', pipeline: 'one', resource: 'git.app' }, 'manual', now());
    expect((await startChecks(ports())).runs).toEqual([]);
    await stores.checks.closeRun(runs[0]?.run ?? 0, now());
    expect((await startChecks(ports())).runs).toHaveLength(1);
  });

  test('notify about those that were held back, once the last of their Pod is recorded', async () => {
    const { id } = await save();
    const { runs } = await startChecks(ports());
    const run = runs[0] ?? 0;
    const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
    notifications.sent.length = 0;
    await recordVersions(run, { results: [{ scope, versions: [], log: '' }], done: false }, ports());
    expect(notifications.sent).toEqual([`status ${id}`]);
    await recordVersions(run, { results: [], done: true }, ports());
    expect(notifications.sent).toEqual([`status ${id}`, 'checks']);
  });

  describe('of a team that has no room now, more than are looked at together,', () => {
    beforeEach(async () => {
      const many = Array.from({ length: 300 }, (_, number) => resource(`git.r${number}`));
      for (const pipeline of ['one', 'two', 'three', 'four'])
        await save(samplePipeline({ resources: many, jobs: [] }), { pipeline });
      await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
      await save(samplePipeline(), { team: 'other', pipeline: 'later', namespace: 'other' });
    });

    test('let those of others begin beside the three that it may have', async () => {
      expect((await startChecks(ports())).runs).toHaveLength(4);
      expect(await checked()).toEqual(['later', 'one', 'three', 'two']);
    });

    test('let those of others begin while it is left alone', async () => {
      expect((await startChecks(ports(), new Set(['main']))).runs).toHaveLength(1);
      expect(await checked()).toEqual(['later']);
    });
  });

  test('for which there is no room have not failed: they wait, say why, and are due as before', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'QuotaExceeded', message: 'no room' });
    expect(await startChecks(ports())).toMatchObject({ runs: [], short: ['main'] });
    expect(await stores.checks.openRuns()).toEqual([]);
    expect(await stores.views.check(GIT)).toMatchObject({
      running: false,
      failures: 0,
      stalled: false,
      held: 'QuotaExceeded: no room',
    });
    expect(await stores.views.check(GIT)).not.toHaveProperty('error');
    expect((await startChecks(ports(), new Set(['main']))).short).toEqual([]);
    cluster.refuse = undefined;
    const { runs } = await startChecks(ports());
    expect(runs).toHaveLength(1);
    expect((await stores.views.check(GIT))?.held).toBe('QuotaExceeded: no room');
    const scope = (await stores.checks.runFacts(runs[0] ?? 0))?.checks[0]?.scope ?? 0;
    await stores.checks.recordCheck({ run: runs[0] ?? 0, scope, versions: [], log: '' }, now());
    expect(await stores.views.check(GIT)).not.toHaveProperty('held');
  });

  test('that find no room for more than two intervals are stalled, however often they are tried', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'QuotaExceeded', message: 'no room' });
    ahead = -1000;
    await startChecks(ports());
    ahead = 1;
    await startChecks(ports());
    expect((await stores.views.check(GIT))?.stalled).toBe(true);
    expect((await stores.pipelines.pipelineFacts(APP))?.resources).toMatchObject([{ stalled: true }]);
  });

  test('of a team that has as many as its Team lets it have are not even claimed', async () => {
    await save(samplePipeline({ resources: [resource('git.app'), resource('git.lib', { tags: ['gpu'] })] }));
    cluster.room = 1;
    expect(await startChecks(ports())).toMatchObject({ runs: [expect.any(Number)], held: 1, short: [] });
    expect(await startChecks(ports())).toMatchObject({ runs: [], held: 1, short: [] });
    cluster.change(podNames()[0] ?? '', { phase: 'Succeeded' });
    expect((await startChecks(ports())).runs).toHaveLength(1);
  });

  test('whose Pod is refused for good say so on the resource', async () => {
    await save();
    cluster.refuse = () => ({ answer: 'refused', reason: 'Invalid', message: 'no room' });
    expect((await startChecks(ports())).runs).toEqual([]);
    expect(await stores.views.resource(GIT)).toMatchObject({ checkError: 'No Pod could be made: no room' });
    expect(await stores.checks.openRuns()).toEqual([]);
  });

  test('whose Pod could not be asked for get it from the comparison', async () => {
    await save();
    cluster.refuse = () => {
      throw new Error('the API server is away');
    };
    expect((await startChecks(ports())).failures).toHaveLength(1);
    cluster.refuse = undefined;
    await compareWithPods(ports());
    expect(podNames()).toEqual([]);
    ahead = 30;
    await compareWithPods(ports());
    expect(podNames()).toHaveLength(1);
    await compareWithPods(ports());
    expect(cluster.made).toHaveLength(1);
  });

  test('whose Pod ends without a word have failed', async () => {
    await save();
    const { runs } = await startChecks(ports());
    await stores.sessions.openSession({ kind: 'checks', run: runs[0] ?? 0 }, 'key', 'uid-1', now());
    cluster.change(`check-${runs[0]}`, agentEnded(1));
    await compareWithPods(ports());
    expect((await stores.views.resource(GIT))?.checkError).toMatch(/ended before the check had a result/);
    expect(podNames()).toEqual([]);
  });

  test('whose agent never comes are given up after a while, with the reason', async () => {
    await save();
    const { runs } = await startChecks(ports());
    const containers = [
      {
        name: 'agent',
        image: 'x',
        state: 'waiting' as const,
        reason: 'ErrImagePull',
        message: 'no such image',
      },
    ];
    cluster.change(`check-${runs[0]}`, { containers });
    ahead = 200;
    await compareWithPods(ports());
    expect(podNames()).toHaveLength(1);
    ahead = 400;
    await compareWithPods(ports());
    expect((await stores.views.resource(GIT))?.checkError).toBe(
      'The Pod of the check did not start: container agent: ErrImagePull (no such image).',
    );
    expect(podNames()).toEqual([]);
  });

  test('bring at most a hundred versions, the newest', async () => {
    await save();
    await find(...Array.from({ length: 150 }, (_, index) => String(index)));
    const page = await stores.views.versions(GIT, { limit: 200 });
    expect(page?.rows.map(({ fields }) => fields['ref']).slice(0, 2)).toEqual(['149', '148']);
    expect(page?.rows).toHaveLength(100);
    expect(await stores.views.resource(GIT)).toMatchObject({ cut: 50 });
  });

  test('of a closed run are over, except for an agent that only says good-bye again', async () => {
    await save();
    const { runs } = await startChecks(ports());
    const run = runs[0] ?? 0;
    await recordVersions(run, { results: [], done: true }, ports());
    expect(await recordVersions(run, { results: [], done: false }, ports())).toBe('over');
    expect(await recordVersions(run, { results: [], done: true }, ports())).toBe('recorded');
  });
});

describe('a build that is to start', () => {
  test('meets its own Pod when the operator died before it was written down', async () => {
    await save();
    await find('a');
    const dying = { ...stores.builds, podCreated: async () => Promise.reject(new Error('killed')) };
    await triggerJob(UNIT, 'ann', ports());
    const { failures } = await startBuilds({ ...ports(), builds: dying });
    expect(failures).toHaveLength(1);
    const { started } = await startBuilds(ports());
    expect(started).toMatchObject([{ number: '2' }]);
    expect(cluster.made.filter((name) => name === 'app-unit-2-1')).toHaveLength(1);
  });

  test('stays pending with the reason while there is no room, and lets others go', async () => {
    await save();
    cluster.refuse = (name) =>
      name === 'app-unit-1-1'
        ? { answer: 'refused', reason: 'QuotaExceeded', message: 'no room' }
        : undefined;
    await find('a', 'b');
    expect(await stateOf()).toMatchObject({ status: 'pending', message: 'QuotaExceeded: no room' });
    expect(podNames()).toContain('app-unit-2-1');
  });

  test('waits for its turn while its team is at its limit, and is the first to go when there is room', async () => {
    await save();
    const running = (): number => buildPods().length;
    cluster.refuse = (name) =>
      name.startsWith('app') && running() >= 1
        ? { answer: 'refused', reason: 'TeamLimit', message: 'Team main runs 1 of 1.' }
        : undefined;
    await find('a', 'b', 'c');
    expect(buildPods()).toEqual(['app-unit-1-1']);
    for (const number of ['2', '3']) {
      expect(await stateOf(number)).toMatchObject({
        status: 'pending',
        message: 'TeamLimit: Team main runs 1 of 1.',
      });
    }
    expect(await startBuilds(ports())).toMatchObject({ started: [], short: ['main'] });
    cluster.pods.delete('app-unit-1-1');
    await triggerJob(UNIT, 'ann', ports());
    expect((await startBuilds(ports())).started).toMatchObject([{ number: '2' }]);
    expect(await stateOf('2')).not.toHaveProperty('message');
  });

  test('leaves the way to other teams while its own is at its limit, however many wait', async () => {
    await save();
    await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
    await save(samplePipeline(), { team: 'other', pipeline: 'tiny', namespace: 'other' });
    cluster.refuse = (name) =>
      name.startsWith('app') ? { answer: 'refused', reason: 'TeamLimit', message: 'full' } : undefined;
    await find('a');
    for (let one = 0; one < 40; one += 1) await triggerJob(UNIT, 'ann', ports());
    const run = (await stores.checks.openRuns()).find(({ team }) => team === 'other')?.run ?? 0;
    const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
    await recordVersions(
      run,
      { results: [{ scope, versions: [{ ref: 'a' }], log: '' }], done: true },
      ports(),
    );
    await scheduleJobs(ports());
    let asked = 0;
    const counting = {
      createBuildPod: async (build: PendingBuild) => ((asked += 1), cluster.createBuildPod(build)),
      teamPods: (team: string) => cluster.teamPods(team),
      nodeLabel: (tag: string) => cluster.nodeLabel(tag),
      runningPods: (team: string, kind: PodKind) => cluster.runningPods(team, kind),
      nodes: () => cluster.nodes(),
      startsPerNode: () => cluster.startsPerNode(),
    };
    expect((await startBuilds({ ...ports(), cluster: counting })).started).toMatchObject([{ team: 'other' }]);
    expect(asked).toBeLessThanOrEqual(33);
  });

  test('that was refused for want of room is tried again when a Pod of its team ends, the oldest first', async () => {
    await save();
    cluster.refuse = (name) =>
      name.startsWith('app') ? { answer: 'refused', reason: 'QuotaExceeded', message: 'no room' } : undefined;
    await find('a', 'b', 'c', 'd', 'e', 'f');
    cluster.refuse = undefined;
    const early = await startBuilds(ports());
    expect(early).toMatchObject({ started: [], short: [] });
    expect(early.againAfterMs).toBeGreaterThan(0);
    expect((await startBuilds(ports(), ['elsewhere'])).started).toEqual([]);
    const { started, short } = await startBuilds(ports(), ['main']);
    expect(started.map(({ number }) => number).toSorted()).toEqual(['1', '2', '3', '4']);
    expect(short).toEqual(['main']);
    expect(await startBuilds(ports(), ['main'])).toMatchObject({ started: [{}, {}], short: [] });
  });

  test('after a pause is waited for to the moment', async () => {
    await save();
    await find('a');
    expect(await startBuilds(ports())).not.toHaveProperty('againAfterMs');
    await retryOn(stores, buildOf('app-unit-1-1'), 1, { reason: 'PodLost: gone', at: now() });
    const { againAfterMs = 0 } = await startBuilds(ports());
    expect(againAfterMs).toBeGreaterThan(0);
    await setTimeout(againAfterMs);
    expect((await startBuilds(ports())).started).toMatchObject([{ attempt: 2 }]);
    // A build that is paused for another reason than want of room stays so.
    await retryOn(stores, buildOf('app-unit-1-2'), 2, { reason: 'PodLost: gone', at: now() });
    expect((await startBuilds(ports(), ['main'])).started).toEqual([]);
  });

  test('whose name somebody has taken says so, and gets its Pod under the name of the next attempt', async () => {
    await save();
    cluster.refuse = (name) =>
      name === 'app-unit-1-1'
        ? { answer: 'refused', reason: 'NameTaken', message: 'The Pod exists.' }
        : undefined;
    await find('a');
    expect(await stateOf()).toMatchObject({
      status: 'pending',
      attempt: 2,
      message: 'NameTaken: The Pod exists.',
    });
    const { againAfterMs = 0 } = await startBuilds(ports());
    await setTimeout(againAfterMs);
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-unit-1-2']);
  });

  test('whose names somebody takes one after another waits until its name is free', async () => {
    await save();
    await find('a');
    const id = buildOf('app-unit-1-1');
    for (const attempt of [1, 2, 3, 4])
      await retryOn(stores, id, attempt, { reason: 'NameTaken: taken', at: now() });
    await stores.pool.query(rows()`UPDATE builds SET start_after = NULL`);
    cluster.refuse = () => ({ answer: 'refused', reason: 'NameTaken', message: 'The Pod exists.' });
    await startBuilds(ports());
    expect(await stateOf()).toMatchObject({
      status: 'pending',
      attempt: 5,
      message: 'NameTaken: The Pod exists.',
    });
  });

  test('fails when its Pod can never be', async () => {
    await save();
    cluster.refuse = (name) =>
      name.startsWith('app')
        ? { answer: 'refused', reason: 'Invalid', message: 'bad image name' }
        : undefined;
    await find('a');
    expect(await stateOf()).toMatchObject({
      status: 'failed',
      reason: 'PodRefused',
      message: 'bad image name',
    });
  });
});

const say = async (name: string, count: number): Promise<void> => {
  const events = eventsOf(['0', '1'], now().toISOString());
  await followBuild({ build: buildOf(name), attempt: 1 }, events.slice(0, count), ports());
};

/** The agent's container ended while the gateway was away. */
const lastWords = (versions: Record<string, Record<string, string>>): Partial<PodFacts> => {
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
  test('goes before a step has begun gets another after a pause', async () => {
    await save();
    await find('a');
    cluster.pods.delete('app-unit-1-1');
    ahead = 60;
    await compareWithPods(ports());
    expect(await stateOf()).toMatchObject({ status: 'pending', attempt: 2 });
    await startBuilds(ports());
    while (buildPods().length === 0) {
      await setTimeout(100);
      await startBuilds(ports());
    }
    expect(buildPods()).toEqual(['app-unit-1-2']);
  });

  test('goes after steps have run is repeated once, and then fails', async () => {
    await save();
    await find('a');
    await say('app-unit-1-1', 4);
    cluster.pods.delete('app-unit-1-1');
    ahead = 60;
    await compareWithPods(ports());
    expect(await stateOf()).toMatchObject({ status: 'pending', attempt: 2 });
    await startBuilds(ports());
    const build = buildOf('app-unit-1-2');
    await followBuild({ build, attempt: 2 }, eventsOf(['0', '1'], now().toISOString()).slice(0, 4), ports());
    cluster.pods.delete('app-unit-1-2');
    ahead = 120;
    await compareWithPods(ports());
    expect(await stateOf()).toMatchObject({ status: 'failed', reason: 'PodLost', attempt: 2 });
  });

  test('goes after steps have run is repeated, though the operator died before it wrote the Pod down', async () => {
    await save();
    await find('a');
    const dying = { ...stores.builds, podCreated: async () => Promise.reject(new Error('killed')) };
    await triggerJob(UNIT, 'ann', ports());
    await startBuilds({ ...ports(), builds: dying });
    await say('app-unit-2-1', 4);
    ahead = 120;
    await compareWithPods(ports());
    expect(await stateOf('2')).toMatchObject({ status: 'started', attempt: 1 });
    cluster.pods.delete('app-unit-2-1');
    ahead = 30;
    await compareWithPods(ports());
    expect(await stateOf('2')).toMatchObject({ status: 'started', attempt: 1 });
    ahead = 120;
    await startBuilds(ports());
    await compareWithPods(ports());
    expect(await stateOf('2')).toMatchObject({ status: 'pending', attempt: 2 });
  });

  test('goes before a step has begun gets another, though the operator died before it wrote the Pod down', async () => {
    await save();
    await find('a');
    const dying = { ...stores.builds, podCreated: async () => Promise.reject(new Error('killed')) };
    await triggerJob(UNIT, 'ann', ports());
    await startBuilds({ ...ports(), builds: dying });
    const session = { kind: 'build', build: buildOf('app-unit-2-1'), attempt: 1 } as const;
    await stores.sessions.openSession(session, 'key', cluster.pods.get('app-unit-2-1')?.uid ?? '', now());
    cluster.pods.delete('app-unit-2-1');
    await startBuilds(ports());
    expect(podNames()).not.toContain('app-unit-2-1');
    ahead = 60;
    await compareWithPods(ports());
    expect(await stateOf('2')).toMatchObject({ status: 'pending', attempt: 2 });
  });

  test('goes after a put has begun fails at once', async () => {
    const jobs = [job('unit', get('git.app'), put('git.image'))];
    await save(samplePipeline({ resources: [resource('git.app'), resource('git.image')], jobs }));
    await find('a');
    await say('app-unit-1-1', 4);
    cluster.pods.delete('app-unit-1-1');
    ahead = 60;
    await compareWithPods(ports());
    expect(await stateOf()).toMatchObject({ status: 'failed', reason: 'PodLost' });
    expect((await stateOf())?.message).toMatch(/put git\.image had begun/);
  });

  const withPut = samplePipeline({
    resources: [resource('git.app'), resource('git.image')],
    jobs: [
      job('unit', get('git.app'), put('git.image')),
      job('deploy', get('git.image', { passed: ['unit'] }), task('roll out')),
    ],
  });
  test('ends while the gateway is away hands its version on by its last words', async () => {
    await save(withPut);
    await find('a');
    await say('app-unit-1-1', 4);
    await followPod(cluster.change('app-unit-1-1', lastWords({ '1': { tag: '1.0' } })), [], ports());
    expect(await stateOf()).toMatchObject({
      status: 'succeeded',
      steps: [{ status: 'succeeded' }, { status: 'succeeded', exitCode: 0 }],
    });
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-deploy-1-1']);
  });

  test('ends while the gateway is away, with a version too long for last words, is not green', async () => {
    await save(withPut);
    await find('a');
    await say('app-unit-1-1', 4);
    await followPod(cluster.change('app-unit-1-1', lastWords({})), [], ports());
    expect(await stateOf()).toMatchObject({ status: 'failed', reason: 'VersionLost' });
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual([]);
  });

  test.each([
    ['had ended before it went is judged by its end', lastWords({ '1': {} }), 'succeeded'],
    ['was running when it went is lost', { phase: 'Running' as const }, 'failed'],
  ])('%s', async (_, last, status) => {
    await save(withPut);
    await find('a');
    await say('app-unit-1-1', 4);
    const pod = cluster.change('app-unit-1-1', last);
    cluster.pods.delete('app-unit-1-1');
    await followGonePod(pod, [], ports());
    expect(await stateOf()).toMatchObject({ status });
  });

  test('loses its labels, and with them the eyes of the operator, goes on and counts in the end', async () => {
    await save(withPut);
    await find('a');
    await say('app-unit-1-1', 3);
    const running = { phase: 'Running' as const };
    const blind = { ...ports(), pods: () => [] };
    await followGonePod(cluster.change('app-unit-1-1', running), [], blind);
    ahead = 60;
    await compareWithPods(blind);
    expect(await stateOf()).toMatchObject({ status: 'started', attempt: 1 });
    cluster.change('app-unit-1-1', lastWords({ '1': {} }));
    await compareWithPods(blind);
    expect(await stateOf()).toMatchObject({ status: 'succeeded', attempt: 1 });
  });

  test('waits for a node says so', async () => {
    await save();
    await find('a');
    await followPod(
      cluster.change('app-unit-1-1', { scheduled: false, unschedulable: '0/1 nodes are available' }),
      [],
      ports(),
    );
    expect((await stateOf())?.message).toBe('Unschedulable: 0/1 nodes are available');
  });

  test('is of an earlier attempt is removed', async () => {
    await save();
    await find('a');
    const old = cluster.pods.get('app-unit-1-1');
    await retryOn(stores, buildOf('app-unit-1-1'), 1, { reason: 'again', at: now() });
    if (old !== undefined) await followPod(old, [], ports());
    expect(podNames()).not.toContain('app-unit-1-1');
  });
});

/** What is known without a request. */
const BY_ITSELF = new Set<PropertyKey>([
  'teamPods',
  'nodeLabel',
  'runningPods',
  'nodes',
  'startsPerNode',
  'cronNext',
]);

test('whatever dies in between, each version is built once and goes through all jobs', async () => {
  const jobs = [
    job('unit', get('git.app'), task('test')),
    job('publish', get('git.app', { passed: ['unit'] }), task('push')),
  ];
  await save(samplePipeline({ jobs }));
  await find('a');
  // A seeded chance, so that a failure can be played again.
  let seed = 7;
  const chance = (): number => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
  const dying = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(of, name, receiver): unknown {
        const method: unknown = Reflect.get(of, name, receiver);
        if (typeof method !== 'function' || BY_ITSELF.has(name)) return method;
        return async (...args: unknown[]): Promise<unknown> => {
          if (chance() < 0.1) throw new Error('killed before');
          const answer: unknown = await Reflect.apply(method, of, args);
          if (chance() < 0.1) throw new Error('killed after');
          return answer;
        };
      },
    });
  let crashes = 0;
  const living = async (work: () => Promise<unknown>): Promise<void> => {
    await work().catch(() => (crashes += 1));
  };
  for (const ref of ['b', 'c', 'd', 'e']) await stores.checks.recordCheck(await due(ref), now());
  for (let round = 0; round < 60; round += 1) {
    ahead += 20;
    const mortal = {
      ...ports(),
      builds: dying(stores.builds),
      checks: dying(stores.checks),
      cluster: dying(cluster),
    };
    await living(() => scheduleJobs(mortal));
    await living(() => startBuilds(mortal));
    for (const [name, pod] of cluster.pods) {
      if (pod.work.kind !== 'build' || pod.phase !== 'Pending') continue;
      const { build, attempt } = pod.work;
      const events = eventsOf(['0', '1'], now().toISOString());
      await living(() => followBuild({ build, attempt }, events, mortal));
      const state = await stateOn(stores, build, attempt);
      if (state?.status === 'succeeded') cluster.change(name, agentEnded());
    }
    await living(() => compareWithPods(mortal));
  }
  const numbers = async (of: string) =>
    (await stores.views.builds({ ...APP, job: of }, { limit: 50 }))?.rows ?? [];
  const unit = await numbers('unit');
  expect(unit.map(({ number }) => number)).toEqual(['5', '4', '3', '2', '1']);
  expect([...unit, ...(await numbers('publish'))].every(({ status }) => status === 'succeeded')).toBe(true);
  expect(new Set(cluster.made).size).toBe(cluster.made.length);
  expect(buildPods()).toEqual([]);
  expect(await stores.builds.openAttempts()).toEqual([]);
  expect(crashes).toBeGreaterThan(20);
});

/** A result of a fresh check of `git.app`. */
async function due(ref: string) {
  await stores.checks.requestCheck(GIT, 'manual', now());
  const [check] = await stores.checks.dueChecks(now(), 1);
  const opened = await stores.checks.openRun([check?.scope ?? 0], 'manual', now());
  return { run: opened?.run ?? 0, scope: check?.scope ?? 0, versions: [{ ref }], log: '' };
}

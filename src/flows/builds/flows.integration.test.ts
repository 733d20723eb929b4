import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { BuildOutcome, OutcomeReason } from '#domain/build/events.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import type { PodKind } from '#domain/planning/admit-pod.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import type { CacheClaim } from '#flows/pods/cache-ports.ts';
import type { PendingBuild } from '#flows/pods/workloads.ts';
import { agentPodsOf, noImages } from '#testing/flows/agent-ports.ts';
import {
  agentEnded,
  buildOf,
  buildPods,
  cluster,
  findRefs,
  notifications,
  now,
  podNames,
  ports,
  save,
  buildView,
  stores,
  UNIT,
  useStores,
} from '#testing/flows/flows-under-test.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { actionsOver } from '#testing/stores/actions.ts';
import { endOn, retryOn } from '#testing/stores/schedule.ts';
import { eventsOf } from '#testing/stores/stores.ts';
import { followPod } from './compare-with-pods.ts';
import { fetchSecrets } from './fetch-secrets.ts';
import { followBuild } from './follow-build.ts';
import { prepareBuild } from './open-session.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';
import { triggerJob } from './trigger-job.ts';

useStores();

describe('from a commit to the last job', () => {
  test('each step notifies the next, and nothing is left behind', async () => {
    const { id } = await save();
    await findRefs('a');
    expect(buildPods()).toEqual(['app-unit-1-1']);
    const session = { build: buildOf('app-unit-1-1'), attempt: 1 };
    const events = eventsOf(['0', '1'], now().toISOString());
    notifications.sent.length = 0;
    expect(await followBuild(session, events.slice(0, 3), ports())).toEqual({
      acknowledged: 3,
      cancel: false,
    });
    const progress = `progress ${session.build}`;
    expect(notifications.sent).toEqual([`status ${id}`, progress]);
    notifications.sent.length = 0;
    await followBuild(session, events, ports());
    expect(notifications.sent).toEqual([`schedule ${id}`, `status ${id}`, progress]);
    await followPod(cluster.change('app-unit-1-1', agentEnded()), [], ports());
    await scheduleJobs(ports());
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-publish-1-1']);
  });

  test('a person can trigger a job, and a refusal has its reason', async () => {
    await save();
    expect(await triggerJob(UNIT, { by: 'ann' }, ports())).toMatchObject({ answer: 'refused' });
    expect(notifications.sent).toEqual([]);
    await findRefs('a');
    expect(await triggerJob(UNIT, { by: 'ann' }, ports())).toMatchObject({
      answer: 'created',
      build: { number: '2' },
    });
    expect(notifications.sent).toContain('builds');
  });
});

describe('the secrets and the plan of a build', () => {
  const withSecret = samplePipeline({
    resources: [resource('git.app', { params: { token: makeSecretPlaceholder('forge/token') } })],
    jobs: [job('unit', get('git.app'))],
  });
  const values = new Map([['forge/token', 'hunter2']]);
  const secrets = { read: () => Promise.resolve({ answer: 'read', values } as const) };
  const start = async (): Promise<number> => {
    await save(withSecret);
    await findRefs('a');
    const build = buildOf('app-unit-1-1');
    await followBuild({ build, attempt: 1 }, eventsOf(['0'], now().toISOString()).slice(0, 2), ports());
    return build;
  };
  const answers = async (build: number): Promise<string[]> => {
    const session = { kind: 'build', build, attempt: 1 } as const;
    const fetched = await fetchSecrets(session, { operation: '0' }, { ...ports(), secrets });
    const agent = { ...ports(), pods: agentPodsOf(() => undefined), images: noImages };
    return [fetched.answer, (await prepareBuild(session, 'amd64', agent)).answer];
  };

  test('reach its agent while it runs, even while it is being cancelled', async () => {
    const build = await start();
    expect(await answers(build)).toEqual(['filled', 'ready']);
    await actionsOver(ports()).cancelBuild({ ...UNIT, number: '1' }, 'ann');
    expect(await answers(build)).toEqual(['filled', 'ready']);
  });

  test.each<[string, BuildOutcome, OutcomeReason]>([
    ['succeeded', 'succeeded', 'AllStepsSucceeded'],
    ['failed', 'failed', 'StepFailed'],
    ['was cancelled', 'cancelled', 'Cancelled'],
    ['ended because a second key was used', 'failed', 'AgentAuthentication'],
  ])('reach nobody after the build %s', async (_title, outcome, reason) => {
    const build = await start();
    await endOn(stores, build, 1, { outcome, reason, message: 'Over.', at: now() });
    expect(await answers(build)).toEqual(['over', 'over']);
  });
});

const countBuildPods = (): number => buildPods().length;

describe('a build that is to start', () => {
  test('gets the Pod that the operator created before it died without recording that Pod', async () => {
    await save();
    await findRefs('a');
    const buildsThatFailToRecord = {
      ...stores.builds,
      podCreated: async () => Promise.reject(new Error('killed')),
    };
    await triggerJob(UNIT, { by: 'ann' }, ports());
    const { failures } = await startBuilds({ ...ports(), builds: buildsThatFailToRecord });
    expect(failures).toHaveLength(1);
    const { started } = await startBuilds(ports());
    expect(started).toMatchObject([{ number: '2' }]);
    expect(cluster.createdNames.filter((name) => name === 'app-unit-2-1')).toHaveLength(1);
  });

  test('stays pending with the reason while the quota refuses its Pod, and other builds start', async () => {
    await save();
    cluster.refuse = (name) =>
      name === 'app-unit-1-1'
        ? { answer: 'refused', reason: 'QuotaExceeded', message: 'no room' }
        : undefined;
    await findRefs('a', 'b');
    expect(await buildView()).toMatchObject({ status: 'pending', message: 'QuotaExceeded: no room' });
    expect(podNames()).toContain('app-unit-2-1');
  });

  test('waits with the reason while its team is at its limit, and starts first when a Pod of the team is gone', async () => {
    await save();
    cluster.refuse = (name) =>
      name.startsWith('app') && countBuildPods() >= 1
        ? { answer: 'refused', reason: 'TeamLimit', message: 'Team main runs 1 of 1.' }
        : undefined;
    await findRefs('a', 'b', 'c');
    expect(buildPods()).toEqual(['app-unit-1-1']);
    for (const number of ['2', '3']) {
      expect(await buildView(number)).toMatchObject({
        status: 'pending',
        message: 'TeamLimit: Team main runs 1 of 1.',
      });
    }
    expect(await startBuilds(ports())).toMatchObject({ started: [], fullNamespaces: ['main'] });
    cluster.pods.delete('app-unit-1-1');
    await triggerJob(UNIT, { by: 'ann' }, ports());
    expect((await startBuilds(ports())).started).toMatchObject([{ number: '2' }]);
    expect(await buildView('2')).not.toHaveProperty('message');
  });

  test('does not delay other teams while its own is at its limit, however many builds wait', async () => {
    await save();
    await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
    await save(samplePipeline(), { team: 'other', pipeline: 'tiny', namespace: 'other' });
    cluster.refuse = (name) =>
      name.startsWith('app') ? { answer: 'refused', reason: 'TeamLimit', message: 'full' } : undefined;
    await findRefs('a');
    for (let triggered = 0; triggered < 40; triggered += 1) await triggerJob(UNIT, { by: 'ann' }, ports());
    const run = (await stores.checks.openRuns()).find(({ team }) => team === 'other')?.run ?? 0;
    const scope = String((await stores.checks.runFacts(run))?.checks[0]?.scope);
    await recordVersions(
      run,
      { results: [{ scope, versions: [{ ref: 'a' }], log: '' }], done: true },
      ports(),
    );
    await scheduleJobs(ports());
    let podsCreated = 0;
    const countingCluster = {
      prepareClaim: async (claim: CacheClaim) => await cluster.prepareClaim(claim),
      createBuildPod: async (build: PendingBuild) => {
        podsCreated += 1;
        return await cluster.createBuildPod(build);
      },
      teamPods: (team: string) => cluster.teamPods(team),
      nodeLabel: (tag: string) => cluster.nodeLabel(tag),
      runningPods: (team: string, kind: PodKind) => cluster.runningPods(team, kind),
      nodes: () => cluster.nodes(),
      startsPerNode: () => cluster.startsPerNode(),
      sharing: () => cluster.sharing(),
      shapeOf: () => '',
    };
    expect((await startBuilds({ ...ports(), cluster: countingCluster })).started).toMatchObject([
      { team: 'other' },
    ]);
    expect(podsCreated).toBeLessThanOrEqual(33);
  });

  test('that a quota refused is tried again when a Pod of its team ends, the oldest first', async () => {
    await save();
    cluster.refuse = (name) =>
      name.startsWith('app') ? { answer: 'refused', reason: 'QuotaExceeded', message: 'no room' } : undefined;
    await findRefs('a', 'b', 'c', 'd', 'e', 'f');
    cluster.refuse = undefined;
    const early = await startBuilds(ports());
    expect(early).toMatchObject({ started: [], fullNamespaces: [] });
    expect(early.againAfterMs).toBeGreaterThan(0);
    expect((await startBuilds(ports(), ['elsewhere'])).started).toEqual([]);
    const { started, fullNamespaces } = await startBuilds(ports(), ['main']);
    expect(started.map(({ number }) => number).toSorted()).toEqual(['1', '2', '3', '4']);
    expect(fullNamespaces).toEqual(['main']);
    expect(await startBuilds(ports(), ['main'])).toMatchObject({ started: [{}, {}], fullNamespaces: [] });
  });

  test('that pauses before its next attempt starts when againAfterMs says', async () => {
    await save();
    await findRefs('a');
    expect(await startBuilds(ports())).not.toHaveProperty('againAfterMs');
    await retryOn(stores, buildOf('app-unit-1-1'), 1, { reason: 'PodLost: gone', at: now() });
    const { againAfterMs = 0 } = await startBuilds(ports());
    expect(againAfterMs).toBeGreaterThan(0);
    await setTimeout(againAfterMs);
    expect((await startBuilds(ports())).started).toMatchObject([{ attempt: 2 }]);
    // The end of a Pod shortens only the pause after a quota refused the build's Pod.
    await retryOn(stores, buildOf('app-unit-1-2'), 2, { reason: 'PodLost: gone', at: now() });
    expect((await startBuilds(ports(), ['main'])).started).toEqual([]);
  });

  test('whose Pod name is taken says so, and gets its Pod under the name of the next attempt', async () => {
    await save();
    cluster.refuse = (name) =>
      name === 'app-unit-1-1'
        ? { answer: 'refused', reason: 'NameTaken', message: 'The Pod exists.' }
        : undefined;
    await findRefs('a');
    expect(await buildView()).toMatchObject({
      status: 'pending',
      attempt: 2,
      message: 'NameTaken: The Pod exists.',
    });
    const { againAfterMs = 0 } = await startBuilds(ports());
    await setTimeout(againAfterMs);
    await startBuilds(ports());
    expect(buildPods()).toEqual(['app-unit-1-2']);
  });

  test('whose Pod names are taken one after another waits until the name is free', async () => {
    await save();
    await findRefs('a');
    const id = buildOf('app-unit-1-1');
    for (const attempt of [1, 2, 3, 4])
      await retryOn(stores, id, attempt, { reason: 'NameTaken: taken', at: now() });
    await stores.pool.query(rows()`UPDATE builds SET start_after = NULL`);
    cluster.refuse = () => ({ answer: 'refused', reason: 'NameTaken', message: 'The Pod exists.' });
    await startBuilds(ports());
    expect(await buildView()).toMatchObject({
      status: 'pending',
      attempt: 5,
      message: 'NameTaken: The Pod exists.',
    });
  });

  test('fails if its Pod is invalid', async () => {
    await save();
    cluster.refuse = (name) =>
      name.startsWith('app')
        ? { answer: 'refused', reason: 'Invalid', message: 'bad image name' }
        : undefined;
    await findRefs('a');
    expect(await buildView()).toMatchObject({
      status: 'failed',
      reason: 'PodRefused',
      message: 'bad image name',
    });
  });
});

import { describe, expect, test } from '@jest/globals';
import { followCheckPod } from '#flows/checks/follow-check-pods.ts';
import { recordVersions } from '#flows/checks/record-versions.ts';
import { startChecks } from '#flows/checks/start-checks.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { podOfRun } from '#flows/pods/verify-pods.ts';
import {
  APP,
  buildOf,
  cluster,
  findRefs,
  GIT,
  now,
  ports,
  save,
  setAhead,
  stores,
  useStores,
} from '#testing/flows/flows-under-test.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { eventsOf } from '#testing/stores/stores.ts';
import { compareWithPods } from './compare-with-pods.ts';
import { followBuild } from './follow-build.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { startBuilds } from './start-builds.ts';

useStores();

const settings = { size: '1Gi', accessModes: ['ReadWriteOnce'] };
/** Two jobs that get every version of one resource with a cache. */
const pipeline = samplePipeline({
  resources: [resource('git.app', { cache: true })],
  jobs: [job('unit', get('git.app'), task('test')), job('lint', get('git.app'), task('lint'))],
});

async function startBothJobs(): Promise<void> {
  cluster.caches = settings;
  await save(pipeline);
  await findRefs('a');
}

async function findVersion(version: Record<string, string>): Promise<void> {
  await stores.checks.requestCheck(GIT, 'manual', now());
  const { runs } = await startChecks(ports());
  const scope = String((await stores.checks.runFacts(runs[0] ?? 0))?.checks[0]?.scope);
  await recordVersions(
    runs[0] ?? 0,
    { results: [{ scope, versions: [version], log: '' }], done: true },
    ports(),
  );
  await scheduleJobs(ports());
  await startBuilds(ports());
}

/** The caches of the current attempt: `mounted`, or why not. */
async function cachesOf(name: string): Promise<string[]> {
  const work = cluster.pods.get(name)?.work;
  const attempt = work?.kind === 'build' ? work.attempt : 0;
  const facts = await stores.builds.attemptFacts(buildOf(name), attempt);
  return (facts?.caches ?? []).map(({ leftOut }) => leftOut?.message ?? 'mounted');
}

const endBuildOf = async (name: string): Promise<unknown> =>
  await followBuild({ build: buildOf(name), attempt: 1 }, eventsOf(['0', '1'], now().toISOString()), ports());

/** The state of a Pod that has waited for its volumes for this long. */
function keepWaiting(name: string, seconds: number): PodFacts {
  setAhead(seconds);
  return cluster.change(name, { hasCache: true, sandboxReady: false, scheduledAt: new Date() });
}

describe('the cache of a resource', () => {
  test('is given to one of two builds, and the other starts at once without it', async () => {
    await startBothJobs();
    const caches = [await cachesOf('app-unit-1-1'), await cachesOf('app-lint-1-1')];
    expect(caches).toContainEqual(['mounted']);
    expect(caches.flat().find((text) => text !== 'mounted')).toMatch(
      /^build 1 of job (unit|lint) uses it\.$/,
    );
    expect(cluster.claims).toHaveLength(1);
  });

  test('is free again when its build has ended', async () => {
    await startBothJobs();
    for (const name of ['app-unit-1-1', 'app-lint-1-1'])
      if ((await cachesOf(name))[0] === 'mounted') await endBuildOf(name);
    await findRefs('b');
    const caches = [...(await cachesOf('app-unit-2-1')), ...(await cachesOf('app-lint-2-1'))];
    expect(caches.filter((text) => text === 'mounted')).toHaveLength(1);
  });

  test('is not held by a build whose Pod was refused', async () => {
    cluster.caches = settings;
    cluster.refuse = (name) =>
      name.startsWith('app-unit')
        ? { answer: 'refused', reason: 'QuotaExceeded', message: 'full' }
        : undefined;
    await save(pipeline);
    await findRefs('a');
    await endBuildOf('app-lint-1-1');
    cluster.refuse = undefined;
    await stores.builds.tryAllRefused('main');
    await startBuilds(ports());
    expect(await cachesOf('app-unit-1-1')).toEqual(['mounted']);
  });

  test('is left out by the next Pod if its volume kept the first one waiting for 20 s', async () => {
    await startBothJobs();
    const name = (await cachesOf('app-unit-1-1'))[0] === 'mounted' ? 'unit' : 'lint';
    keepWaiting(`app-${name}-1-1`, 19);
    await compareWithPods(ports());
    expect(cluster.pods.has(`app-${name}-1-1`)).toBe(true);
    setAhead(21);
    await compareWithPods(ports());
    expect(cluster.pods.has(`app-${name}-1-1`)).toBe(false);
    const build = (await stores.builds.openAttempts()).find((open) => open.job === name);
    expect(build).toMatchObject({ attempt: 2 });
    await stores.builds.tryAllRefused('main');
    while (!cluster.pods.has(`app-${name}-1-2`)) await startBuilds(ports());
    expect(await cachesOf(`app-${name}-1-2`)).toEqual([expect.stringContaining('was not ready in time')]);
  });

  test('is not given to a build of a pull request from a fork', async () => {
    cluster.caches = settings;
    await save({ ...pipeline, jobs: pipeline.jobs.slice(0, 1) });
    await findVersion({ ref: 'a', pr: '1', fork: 'true' });
    expect(await cachesOf('app-unit-1-1')).toEqual(['it runs a pull request from a fork.']);
  });
});

describe('the cache of a checked resource', () => {
  const checked = samplePipeline({
    resourceTypes: samplePipeline().resourceTypes.map((type) => ({ ...type, builtIn: false })),
    resources: [resource('git.store', { cache: true })],
    jobs: [],
  });

  test('is left out by the next check if its volume kept the first one waiting', async () => {
    cluster.caches = settings;
    await save(checked);
    await stores.checks.requestCheck({ ...APP, resource: 'git.store' }, 'manual', now());
    const { runs } = await startChecks(ports());
    const [run] = await stores.checks.openRuns();
    if (run === undefined) throw new Error('no check runs');
    expect((await stores.checks.runFacts(run.run))?.caches).toMatchObject([{ resource: 'git.store' }]);
    keepWaiting(`check-${run.run}`, 21);
    expect(await followCheckPod(run, podOfRun(run, [...cluster.pods.values()]), ports())).toBe('closed');
    const next = await startChecks(ports());
    expect(next.runs).not.toEqual(runs);
    expect((await stores.checks.runFacts(next.runs[0] ?? 0))?.caches).toMatchObject([
      { leftOut: { reason: 'Unavailable' } },
    ]);
  });
});

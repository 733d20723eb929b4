import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { HookResult } from '#domain/build/agent-protocol.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { compareWithPods, followPod } from '#flows/builds/compare-with-pods.ts';
import { scheduleJobs } from '#flows/builds/schedule-jobs.ts';
import { startBuilds } from '#flows/builds/start-builds.ts';
import { triggerJob } from '#flows/builds/trigger-job.ts';
import type { PodFacts } from '#flows/pods/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { InMemoryCluster, RecordedForeignPods } from '#testing/kubernetes/in-memory-cluster.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { recordVersions } from './record-versions.ts';
import { requestCheck } from './request-check.ts';
import { runHooks } from './run-hooks.ts';
import { startChecks } from './start-checks.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
let stores: TestStores;
let cluster: InMemoryCluster;
let notifications: RecordedNotifications;
let pipeline: number;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  cluster = new InMemoryCluster();
  notifications = new RecordedNotifications();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  pipeline = (await stores.pipelines.savePipeline(toSave(withHooks()))).id;
});

function withHooks(params: Record<string, string> = {}): Pipeline {
  const onTrigger = [{ kind: 'command' as const, run: { runner: 'shell' as const, cmd: 'echo' } }];
  const unit = { ...job('unit', get('git.app'), task('test')), onTrigger };
  const resources = [resource('git.app', { params }), resource('git.lib')];
  return samplePipeline({ resources, jobs: [unit, job('lint', get('git.lib'), task('lint'))] });
}

const now = (): Date => new Date(Date.now() + 1000);
const reportHangingAgent = (): undefined => undefined;
const foreign = new RecordedForeignPods();
const ports = () => ({
  ...stores,
  cluster,
  notifications,
  foreign,
  now,
  reportHangingAgent,
  seenStart: () => ({}),
  pods: () => [...cluster.pods.values()],
});
const podNames = (): string[] => [...cluster.pods.keys()].toSorted();
const buildPods = (): string[] => podNames().filter((name) => name.startsWith('app'));

/** A check finds these versions, and its Pod ends. Returns the run of the hooks that they trigger, or 0. */
async function find(name: string, ...refs: string[]): Promise<number> {
  await requestCheck({ ...APP, resource: name }, ports());
  const { runs } = await startChecks(ports());
  for (const run of runs) {
    for (const check of (await stores.checks.runFacts(run))?.checks ?? [])
      if (check.resource === name) {
        const versions = refs.map((ref) => ({ ref }));
        const result = { scope: String(check.scope), versions, log: '' };
        await recordVersions(run, { results: [result], done: true }, ports());
      }
    await stores.checks.closeRun(run, now());
    cluster.pods.delete(`check-${run}`);
  }
  await scheduleAndStart();
  return (await stores.checks.openHookRuns()).at(-1)?.run ?? 0;
}

async function scheduleAndStart(): Promise<boolean> {
  const { held } = await scheduleJobs(ports());
  await startBuilds(ports());
  return held;
}

/** Moves the deadline of the hooks into the past. */
async function passDeadline(run: number): Promise<void> {
  await stores.pool.query(rows()`
    UPDATE hook_runs SET held_until = now() - interval '1 millisecond' WHERE run_id = ${run}`);
}

const hookResults = (...versions: number[]): HookResult[] =>
  versions.map((version) => ({ version: String(version), job: 'unit', hook: 'shell', output: 'hello\n' }));
const hookView = async () => (await stores.views.check(GIT))?.hooks;

describe('hooks of new versions', () => {
  test('hooks have their own Pod, and builds start after the hooks have reported', async () => {
    const run = await find('git.app', 'a', 'b');
    expect(buildPods()).toEqual([]);
    expect((await runHooks(ports())).againAfterMs).toBeGreaterThan(0);
    expect(podNames()).toEqual([`check-${run}`]);
    const facts = await stores.checks.runFacts(run);
    expect(facts).toMatchObject({ checks: [], hooks: { resource: 'git.app' } });
    expect(facts?.hooks?.versions.map(({ fields }) => fields['ref'])).toEqual(['a', 'b']);
    notifications.sent.length = 0;
    const ids = facts?.hooks?.versions.map(({ id }) => id) ?? [];
    expect(await recordVersions(run, { results: [], hooks: hookResults(...ids), done: true }, ports())).toBe(
      'recorded',
    );
    expect(notifications.sent).toEqual([`schedule ${pipeline}`, `status ${pipeline}`, 'checks']);
    expect(await scheduleAndStart()).toBe(false);
    expect(buildPods()).toEqual(['app-unit-1-1', 'app-unit-2-1']);
    expect(await hookView()).toMatchObject({ first: ids[0], last: ids[1], results: hookResults(...ids) });
    expect(await runHooks(ports())).toEqual({ failures: [] });
  });

  test('hooks that fail are reported and fail no build', async () => {
    const run = await find('git.app', 'a');
    const [result] = hookResults(1);
    const hooks = [
      { version: '1', job: 'unit', hook: 'shell', output: '', ...result, error: 'exit code 3.' },
    ];
    await recordVersions(run, { results: [], hooks, done: true }, ports());
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
    const error = 'The hook shell of job unit failed for version 1: exit code 3.';
    expect(await hookView()).toMatchObject({ error, results: [{ error: 'exit code 3.' }] });
    const facts = await stores.pipelines.pipelineFacts(APP);
    expect(facts?.resources.map(({ hooksError }) => hooksError)).toEqual([error, undefined]);
  });

  test('hooks that do not end hold builds until their deadline, and their Pod is deleted', async () => {
    const run = await find('git.app', 'a');
    await runHooks(ports());
    await passDeadline(run);
    expect(await runHooks(ports())).toEqual({ failures: [] });
    expect(podNames()).toEqual([]);
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
    expect(await hookView()).toMatchObject({
      error: expect.stringContaining('The hooks had not ended after 30 s, and builds start without them.'),
    });
    expect(await recordVersions(run, { results: [], hooks: hookResults(1), done: true }, ports())).toBe(
      'over',
    );
  });

  test('hooks hold nothing after their deadline, even without an operator', async () => {
    const run = await find('git.app', 'a');
    await passDeadline(run);
    await stores.pool.query(rows()`UPDATE jobs SET schedule_requested = schedule_requested + 1`);
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
    await runHooks(ports());
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
  });

  test('hooks whose Pod ends without a report hold no build', async () => {
    const run = await find('git.app', 'a');
    await runHooks(ports());
    const agent = {
      name: 'agent',
      image: 'millrace',
      state: 'terminated',
      reason: 'OOMKilled',
      exitCode: 137,
    } as const;
    const ended = cluster.change(`check-${run}`, { phase: 'Failed', containers: [agent] });
    await followPod(ended, await stores.checks.openRuns(), ports());
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
    expect(await hookView()).toMatchObject({ error: expect.stringContaining('The Pod of the hooks ended') });
  });

  test.each<[string, 'QuotaExceeded' | 'TeamLimit', string]>([
    ['no quota', 'QuotaExceeded', 'QuotaExceeded: no room'],
    ['no slot in the team', 'TeamLimit', 'TeamLimit: no room'],
  ])(
    'hooks for which there is %s are retried until their deadline and say why',
    async (_, reason, reported) => {
      const run = await find('git.app', 'a');
      cluster.refuse = () => ({ answer: 'refused', reason, message: 'no room' });
      expect(await runHooks(ports())).toMatchObject({ againAfterMs: expect.any(Number) });
      expect(buildPods()).toEqual([]);
      await passDeadline(run);
      cluster.refuse = undefined;
      await runHooks(ports());
      await scheduleAndStart();
      expect(buildPods()).toEqual(['app-unit-1-1']);
      expect((await hookView())?.error).toContain(reported);
    },
  );

  test('hooks whose Pod cannot be created hold no build', async () => {
    await find('git.app', 'a');
    cluster.refuse = (name) =>
      name.startsWith('check') ? { answer: 'refused', reason: 'Invalid', message: 'no' } : undefined;
    await runHooks(ports());
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
    expect(await hookView()).toMatchObject({ error: 'No Pod could be created: no' });
  });

  test('a team runs at most three checks and hooks at a time, the oldest first', async () => {
    const runs = [];
    for (const ref of ['a', 'b', 'c', 'd']) runs.push(await find('git.app', ref));
    await runHooks(ports());
    expect(podNames()).toEqual(runs.slice(0, 3).map((run) => `check-${run}`));
    await requestCheck(GIT, ports());
    expect((await startChecks(ports())).runs).toEqual([]);
  });
});

describe('when the operator dies', () => {
  test('the next operator creates the Pod of hooks if the first died before', async () => {
    const run = await find('git.app', 'a');
    await compareWithPods(ports());
    expect(podNames()).toEqual([]);
    await runHooks(ports());
    expect(podNames()).toEqual([`check-${run}`]);
  });

  test('the next operator finds the Pod of hooks and creates no other', async () => {
    const run = await find('git.app', 'a');
    await runHooks(ports());
    await runHooks({ ...ports(), pods: () => [] });
    expect(cluster.createdNames.filter((name) => name === `check-${run}`)).toHaveLength(1);
  });

  test('each build is created once if the operator dies after hooks ended', async () => {
    const run = await find('git.app', 'a');
    const last = { results: [], hooks: hookResults(1), done: true };
    await recordVersions(run, last, ports());
    expect(await recordVersions(run, last, ports())).toBe('over');
    await scheduleAndStart();
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
  });
});

describe('what hooks do not hold', () => {
  test('a build that takes versions of resources without hooks does not wait', async () => {
    await find('git.lib', 'a');
    expect(buildPods()).toEqual(['app-lint-1-1']);
    expect(await stores.checks.openHookRuns()).toEqual([]);
  });

  test('a build that a person requests does not wait', async () => {
    await find('git.app', 'a');
    expect(await triggerJob({ ...APP, job: 'unit' }, { by: 'ann' }, ports())).toMatchObject({
      answer: 'created',
    });
  });

  test('a version that is found again runs no hooks', async () => {
    const run = await find('git.app', 'a');
    await stores.checks.recordHooks(run, { results: [] }, now());
    expect(await find('git.app', 'a')).toBe(0);
  });

  test('a build of a pipeline whose hooks were removed does not wait', async () => {
    await find('git.app', 'a');
    await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs: [job('unit', get('git.app'))] })));
    await scheduleAndStart();
    expect(buildPods()).toEqual(['app-unit-1-1']);
  });
});

test('hooks of a removed pipeline do not run any more', async () => {
  await find('git.app', 'a');
  await stores.pipelines.removePipeline(APP);
  expect(await runHooks(ports())).toEqual({ failures: [] });
  expect(podNames()).toEqual([]);
  expect(await stores.checks.openRuns()).toEqual([]);
});

test('hooks without a Pod take no slot after their deadline, even if the resource has changed', async () => {
  const run = await find('git.app', 'a');
  await stores.pipelines.savePipeline(toSave(withHooks({ branch: 'release' })));
  await passDeadline(run);
  expect(await runHooks(ports())).toEqual({ failures: [] });
  await compareWithPods(ports());
  expect(await stores.checks.openRuns()).toEqual([]);
});

test('a job says which hooks it waits for, and until when', async () => {
  await find('git.app', 'a');
  const waiting = await stores.views.waiting({ ...APP, job: 'unit' });
  expect(waiting?.jobs[0]?.reasons).toMatchObject([
    {
      code: 'HooksRunning',
      message: expect.stringMatching(
        /^The on_trigger hooks of version \d+ of git\.app are running, until \d\d:\d\d:\d\d UTC at most\.$/,
      ),
    },
  ]);
});

test('the Pod of hooks that have reported is removed when it ends', async () => {
  const run = await find('git.app', 'a');
  await runHooks(ports());
  await recordVersions(run, { results: [], hooks: [], done: true }, ports());
  const ended: PodFacts = cluster.change(`check-${run}`, { phase: 'Succeeded' });
  await followPod(ended, await stores.checks.openRuns(), ports());
  expect(podNames()).toEqual([]);
});

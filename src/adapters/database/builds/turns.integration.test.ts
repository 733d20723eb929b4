import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { openPool, rows } from '#adapters/database/connection/pool.ts';
import type { Job } from '#domain/pipeline/pipeline.ts';
import { expireApprovals, giveTurnsToTeam } from '#flows/builds/give-turns.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endOn, followOn, retryOn, triggerOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  storesOver,
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
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
});
afterAll(async () => await stores.close());

/** Jobs whose get does not trigger, each with its limits or its gate. */
function jobs(...jobOptions: [name: string, options?: Partial<Job>][]): Job[] {
  return jobOptions.map(([name, options]) => ({
    ...job(name, get('git.app', { trigger: false }), task('run')),
    ...options,
  }));
}

async function save(pipelineJobs: Job[], pipeline = 'app'): Promise<void> {
  const definition = samplePipeline({ jobs: pipelineJobs });
  const saved = await stores.pipelines.savePipeline(toSave(definition, { pipeline }));
  if (pipeline === 'app') await recordFoundVersions(stores, saved, [{ ref: 'a' }]);
}

async function triggerJobs(...names: string[]): Promise<void> {
  for (const name of names) await triggerOn(stores, { ...APP, job: name }, 'ann', now());
}

/** Gives turns. Returns the builds that have their turn and have not ended, as `job number`, oldest first. */
async function giveTurnsAndList(): Promise<string[]> {
  await giveTurns(stores);
  const admitted = await stores.builds.openAttempts();
  return admitted.map((build) => `${build.job} ${build.number}`);
}

/** Fails a running build, given as `job number`. */
async function failBuild(jobAndNumber: string): Promise<void> {
  const [jobName, number] = jobAndNumber.split(' ');
  const attempts = await stores.builds.openAttempts();
  const build = attempts.find((attempt) => attempt.job === jobName && attempt.number === number);
  const end = { outcome: 'failed', reason: 'StepFailed', message: '', at: now() } as const;
  await endOn(stores, build?.id ?? 0, 1, end);
}

/** Why a build waits, given as `job number`. */
async function reasonsOf(jobAndNumber: string): Promise<string[]> {
  const [jobName, number] = jobAndNumber.split(' ');
  const waiting = await stores.views.waiting(APP);
  const build = waiting?.builds.find((pending) => pending.job === jobName && pending.number === number);
  return (build?.reasons ?? []).map(({ code, message }) => `${code}: ${message}`);
}

describe('a build has its turn', () => {
  test('a build without limits has its turn at once', async () => {
    await save(jobs(['unit']));
    await triggerJobs('unit', 'unit', 'unit');
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2', 'unit 3']);
    expect(await stores.builds.teamsWithQueue()).toEqual([]);
  });

  test('an unlimited build has its turn at its creation, and others at the next reconciliation', async () => {
    await save(jobs(['unit'], ['deploy', { serialGroups: ['prod'] }], ['lint', { concurrency: 5 }]));
    await triggerJobs('unit', 'deploy', 'lint');
    const attempts = await stores.builds.openAttempts();
    expect(attempts.map((build) => build.job)).toEqual(['unit']);
    expect(await stores.builds.buildsToStart(10, [])).toMatchObject([{ job: 'unit' }]);
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'deploy 1', 'lint 1']);
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 9 });
    await triggerJobs('unit');
    expect(await stores.builds.buildsToStart(10, [])).toHaveLength(3);
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'deploy 1', 'lint 1', 'unit 2']);
  });

  test('a build has its turn when its job runs fewer than its concurrency, oldest first', async () => {
    await save(jobs(['unit', { concurrency: 2 }]));
    await triggerJobs('unit', 'unit', 'unit', 'unit');
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2']);
    expect(await reasonsOf('unit 3')).toEqual([
      'Concurrency: unit runs 2 builds at a time, and builds 1 and 2 are running.',
    ]);
    await failBuild('unit 1');
    expect(await giveTurnsAndList()).toEqual(['unit 2', 'unit 3']);
  });

  test('a build has its turn when no build of another job of its serial group runs, oldest first', async () => {
    await save(
      jobs(
        ['deploy', { serialGroups: ['prod'] }],
        ['migrate', { serialGroups: ['prod', 'database'] }],
        ['report'],
      ),
    );
    await triggerJobs('deploy', 'migrate', 'deploy', 'report');
    expect(await giveTurnsAndList()).toEqual(['deploy 1', 'report 1']);
    expect(await reasonsOf('migrate 1')).toEqual([
      'SerialGroup: Build 1 of deploy holds the serial group prod.',
    ]);
    expect(await reasonsOf('deploy 2')).toEqual([
      'SerialGroupQueue: Build 1 of migrate has waited longer for the serial group prod.',
    ]);
    await failBuild('deploy 1');
    expect(await giveTurnsAndList()).toEqual(['migrate 1', 'report 1']);
    await failBuild('migrate 1');
    expect(await giveTurnsAndList()).toEqual(['deploy 2', 'report 1']);
  });

  test('a build has its turn when the team runs fewer than its limit, over all its pipelines', async () => {
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 1 });
    await save(jobs(['unit']));
    await save(jobs(['other']), 'second');
    await triggerJobs('unit', 'unit');
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
    expect(await reasonsOf('unit 2')).toEqual([
      'TeamLimit: The team runs 1 build at a time, and one is running.',
    ]);
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 2 });
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2']);
  });

  test('a build of a paused job has no turn and blocks no other', async () => {
    await save(jobs(['deploy', { serialGroups: ['prod'] }], ['migrate', { serialGroups: ['prod'] }]));
    await triggerJobs('deploy', 'migrate');
    await stores.actions.pauseJob({ ...APP, job: 'deploy' }, 'ann');
    expect(await giveTurnsAndList()).toEqual(['migrate 1']);
    expect(await reasonsOf('deploy 1')).toContain('JobPaused: Job deploy is paused.');
    await stores.actions.unpauseJob({ ...APP, job: 'deploy' });
    await failBuild('migrate 1');
    expect(await giveTurnsAndList()).toEqual(['deploy 1']);
  });

  test('a build that waits for its Pod loses its turn while its job is paused', async () => {
    await stores.teams.saveTeam({ name: 'main', namespace: 'main', runningBuilds: 1 });
    await save(jobs(['deploy'], ['unit']));
    await triggerJobs('deploy', 'unit');
    expect(await giveTurnsAndList()).toEqual(['deploy 1']);
    const [deploy] = await stores.builds.buildsToStart(10);
    await stores.builds.explainPending(deploy?.id ?? 0, 'QuotaExceeded: no room');
    await stores.actions.pauseJob({ ...APP, job: 'deploy' }, 'ann');
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
    expect((await stores.builds.buildsToStart(10)).map((build) => build.job)).toEqual(['unit']);
    expect(await reasonsOf('deploy 1')).toContain('JobPaused: Job deploy is paused.');
    await stores.actions.unpauseJob({ ...APP, job: 'deploy' });
    await failBuild('unit 1');
    expect(await giveTurnsAndList()).toEqual(['deploy 1']);
    expect((await stores.builds.buildsToStart(10)).map((build) => build.job)).toEqual(['deploy']);
  });

  test('a build whose steps ran continues with its next Pod while its job is paused', async () => {
    await save(jobs(['unit']));
    await triggerJobs('unit');
    const [unit] = await stores.builds.openAttempts();
    await stores.builds.podCreated(unit?.id ?? 0, 1, 'pod-1', now());
    const events = [{ sequence: 1, at: now().toISOString(), type: 'step-started', step: '0' }] as const;
    await followOn(stores, unit?.id ?? 0, 1, [...events]);
    await retryOn(stores, unit?.id ?? 0, 1, { reason: 'PodLost: gone', at: now() });
    await stores.actions.pausePipeline(APP, 'ann');
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
    expect(await stores.builds.buildsToStart(10)).toMatchObject([{ job: 'unit', attempt: 2 }]);
  });

  test('a build keeps its turn while its Pod is replaced', async () => {
    await save(jobs(['unit', { concurrency: 1 }]));
    await triggerJobs('unit', 'unit');
    await giveTurns(stores);
    const [first] = await stores.builds.openAttempts();
    await retryOn(stores, first?.id ?? 0, 1, { reason: 'PodLost: gone', at: now() });
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
  });

  test('turns never exceed a limit, however many processes decide at once', async () => {
    await save(
      jobs(
        ['unit', { concurrency: 3 }],
        ['lint', { serialGroups: ['x'] }],
        ['scan', { serialGroups: ['x'] }],
      ),
    );
    await triggerJobs(...Array.from({ length: 12 }, () => 'unit'), 'lint', 'scan', 'lint', 'scan');
    const pool = await openPool(stores.url, { maximumConnections: 8 });
    const { builds } = storesOver({ pool });
    const [team = 0] = await builds.teamsWithQueue();
    await Promise.all(Array.from({ length: 16 }, () => giveTurnsToTeam(team, builds, now())));
    await pool.end();
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2', 'unit 3', 'lint 1']);
  });

  test('a queue of hundreds of builds has turns in order', async () => {
    await save(jobs(['unit']));
    const unit = await stores.pool.oneFirst(rows<{ id: number }>()`SELECT id FROM jobs`);
    await triggerJobs('unit');
    await stores.pool.query(rows()`
      INSERT INTO builds (job_id, revision_id, number, cause, created_at, wants_pod)
      SELECT job_id, revision_id, n, cause, created_at, false FROM builds, generate_series(2, 350) n
      WHERE job_id = ${unit}`);
    await stores.pool.query(rows()`
      INSERT INTO build_attempts (build_id, attempt, created_at) SELECT id, 1, created_at FROM builds
        ON CONFLICT DO NOTHING`);
    await giveTurns(stores);
    const numbers = (await stores.builds.buildsToStart(1000)).map(({ number }) => Number(number));
    expect(numbers).toEqual(Array.from({ length: 350 }, (_, index) => index + 1));
  });

  test('turns follow the rules of the newest revision', async () => {
    await save(jobs(['unit', { concurrency: 1 }], ['deploy', { serialGroups: ['prod'] }], ['migrate']));
    await triggerJobs('unit', 'unit', 'deploy', 'migrate');
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'deploy 1', 'migrate 1']);
    await save(
      jobs(['unit'], ['deploy', { serialGroups: ['prod'] }], ['migrate', { serialGroups: ['prod'] }]),
    );
    await triggerJobs('migrate');
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2', 'deploy 1', 'migrate 1']);
  });

  test('the rules of a new revision apply to the builds of its jobs from then on', async () => {
    await save(jobs(['unit']));
    await triggerJobs('unit', 'unit');
    expect(await giveTurnsAndList()).toEqual(['unit 1', 'unit 2']);
    await save(jobs(['unit', { interruptible: true, disableRetry: true, allowFailure: true }]));
    await triggerJobs('unit');
    expect(await giveTurnsAndList()).toEqual(['unit 3']);
    await failBuild('unit 3');
    expect(await stores.views.build({ ...APP, job: 'unit', number: '3' })).toMatchObject({
      status: 'warning',
    });
    const again = await stores.actions.retryBuild({ ...APP, job: 'unit', number: '3' }, 'ann');
    expect(again).toMatchObject({ reasons: [{ code: 'RetryDisabled' }] });
  });

  test('a build whose job was removed from the pipeline has no turn', async () => {
    await save(jobs(['unit', { concurrency: 1 }], ['lint']));
    await triggerJobs('unit', 'unit');
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
    await save(jobs(['lint']));
    const ended = await stores.views.build({ ...APP, job: 'unit', number: '2' });
    expect(ended).toMatchObject({ status: 'cancelled', message: 'The job was removed from the pipeline.' });
    expect(await giveTurnsAndList()).toEqual(['unit 1']);
  });
});

describe('a gate', () => {
  const GATED = { approval: { label: 'go', approvals: 1, timeoutSeconds: 60, notify: [] } };

  test('a gate that nobody approves in time fails its build, and a gate without a timeout keeps waiting', async () => {
    await save(jobs(['ship', GATED], ['slow', { approval: { label: 'go', approvals: 1, notify: [] } }]));
    await triggerJobs('ship', 'slow');
    const soon = new Date(Date.now() + 30_000);
    const late = new Date(Date.now() + 61_000);
    expect(await expireApprovals(stores.builds, soon)).toEqual([]);
    expect(await expireApprovals(stores.builds, late)).toHaveLength(1);
    expect(await expireApprovals(stores.builds, late)).toEqual([]);
    const ended = await stores.views.build({ ...APP, job: 'ship', number: '1' });
    expect(ended).toMatchObject({ status: 'failed', reason: 'ApprovalExpired' });
    expect(await reasonsOf('slow 1')).toEqual(['WaitingForApproval: Waiting for approval: 0 of 1.']);
  });
});

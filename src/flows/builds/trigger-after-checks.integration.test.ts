import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { RecordedNotifications } from '#testing/flows/recorded-notifications.ts';
import { get, job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { scheduleJobs } from './schedule-jobs.ts';
import { endTriggerWait, requestAfterChecks, triggerJobAfterChecks } from './trigger-job.ts';
import type { TriggerAnswer, TriggerWaits } from './trigger-ports.ts';

/*
 * A trigger that checks first, on Postgres. The process that waits for the answer may die at any time, and so
 * may the process that runs the checks.
 */
const APP = { team: 'main', pipeline: 'app' };
const UNIT = { ...APP, job: 'unit' };
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
afterAll(async () => await stores.close());
beforeEach(async () => {
  await stores.empty();
  notifications = new RecordedNotifications();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  saved = await save();
});

const save = async (trigger = false) => {
  const unit = job('unit', get('git.app', { trigger }), get('git.docs', { trigger }), task('test'));
  const resources = [resource('git.app'), resource('git.docs')];
  const next = await stores.pipelines.savePipeline(
    toSave(samplePipeline({ resources, jobs: [unit] }), { digest: `trigger ${trigger}` }),
  );
  await scheduleAll();
  return next;
};
const now = () => new Date();
let notifications: RecordedNotifications;
const scheduleAll = async () => (await scheduleJobs({ builds: stores.builds, notifications, now })).builds;
const requestTrigger = async (): Promise<TriggerAnswer | TriggerWaits> =>
  await requestAfterChecks(UNIT, { by: 'ann', waitMs: 60_000 }, { ...stores, now });
const scopeOf = (name: string): number =>
  saved.resources.find((candidate) => candidate.name === name)?.scope ?? 0;

async function waitingTrigger(): Promise<TriggerWaits> {
  const answer = await requestTrigger();
  if (answer.answer !== 'checking') throw new Error(`The trigger does not wait: ${answer.answer}.`);
  return answer;
}

/** Ends the time until which triggers wait for their checks. */
const passDeadline = async (): Promise<unknown> =>
  await stores.pool.query(rows()`UPDATE job_triggers SET check_until = now() - interval '1 s'`);

const openRunOf = async (...names: string[]) =>
  (await stores.checks.openRun(names.map(scopeOf), 'manual', now()))?.run ?? 0;
const recordResult = async (run: number, name: string, ...refs: string[]) =>
  await stores.checks.recordCheck(
    { run, scope: scopeOf(name), log: '', versions: refs.map((ref) => ({ ref })) },
    now(),
  );

/** Afterwards, each resource has a version, and nothing is due. */
async function findFirstVersions(): Promise<void> {
  for (const name of ['git.app', 'git.docs']) {
    await stores.checks.requestCheck({ ...APP, resource: name }, 'manual', now());
    const run = await openRunOf(name);
    await recordResult(run, name, name === 'git.app' ? 'a1' : 'd1');
    await stores.checks.closeRun(run, now());
  }
  await scheduleAll();
}

const refsOf = async (number: string) =>
  (await stores.views.build({ ...UNIT, number }))?.inputs.map(({ fields }) => fields['ref']);

describe('a trigger that checks first', () => {
  beforeEach(findFirstVersions);

  test('a trigger that checks first builds what the checks find and says that all were checked', async () => {
    const trigger = await waitingTrigger();
    const run = await openRunOf('git.app', 'git.docs');
    expect(await recordResult(run, 'git.app', 'a2')).toMatchObject({ awaited: true });
    expect(await scheduleAll()).toEqual([]);
    expect(await stores.builds.triggerAnswer(trigger)).toEqual(trigger);
    expect(await recordResult(run, 'git.docs')).toMatchObject({ recorded: [], awaited: true });
    expect(await scheduleAll()).toMatchObject([{ job: 'unit', number: '1' }]);
    expect(await refsOf('1')).toEqual(['a2', 'd1']);
    expect(await stores.builds.triggerAnswer(trigger)).toEqual({
      answer: 'created',
      build: { ...UNIT, number: '1' },
      interrupted: [],
      checks: [
        { resource: 'git.app', result: 'checked' },
        { resource: 'git.docs', result: 'checked' },
      ],
    });
  });

  test('a trigger waits for a new check if one is running already', async () => {
    const running = await openRunOf('git.app');
    const trigger = await waitingTrigger();
    await recordResult(await openRunOf('git.docs'), 'git.docs');
    await recordResult(running, 'git.app', 'a2');
    expect(await scheduleAll()).toEqual([]);
    await recordResult(await openRunOf('git.app'), 'git.app', 'a3');
    await scheduleAll();
    expect(await stores.builds.triggerAnswer(trigger)).toMatchObject({ answer: 'created' });
    expect(await refsOf('1')).toEqual(['a3', 'd1']);
  });

  test('a trigger keeps waiting if no Pod could be created for the check', async () => {
    const runWithoutPod = await openRunOf('git.app', 'git.docs');
    const trigger = await waitingTrigger();
    await stores.checks.releaseRun(runWithoutPod, now(), 'no room');
    expect(await stores.builds.triggerAnswer(trigger)).toEqual(trigger);
    const run = await openRunOf('git.app', 'git.docs');
    await recordResult(run, 'git.app');
    await recordResult(run, 'git.docs');
    await scheduleAll();
    expect(await stores.builds.triggerAnswer(trigger)).toMatchObject({ answer: 'created' });
  });

  test('a trigger builds known versions if a check fails, and the build says so', async () => {
    await waitingTrigger();
    const run = await openRunOf('git.app', 'git.docs');
    await stores.checks.recordCheck(
      { run, scope: scopeOf('git.app'), log: '', error: 'no such host' },
      now(),
    );
    await stores.checks.closeRun(run, now(), 'The Pod was lost.');
    await scheduleAll();
    expect((await stores.views.build({ ...UNIT, number: '1' }))?.checks).toEqual([
      { resource: 'git.app', result: 'failed', error: 'no such host' },
      { resource: 'git.docs', result: 'failed', error: 'The Pod was lost.' },
    ]);
  });

  test('a trigger gets one build if the version that it finds triggers the job as well', async () => {
    saved = await save(true);
    await waitingTrigger();
    const run = await openRunOf('git.app', 'git.docs');
    await recordResult(run, 'git.docs');
    await recordResult(run, 'git.app', 'a2');
    expect(await scheduleAll()).toMatchObject([{ job: 'unit', number: '1' }]);
    expect(await scheduleAll()).toEqual([]);
  });

  test('a trigger that checks first is refused at once while the job is paused', async () => {
    await stores.actions.pauseJob(UNIT, 'ann');
    expect(await requestTrigger()).toMatchObject({ answer: 'refused', reasons: [{ code: 'JobPaused' }] });
  });

  test('a trigger that no decision reads, because of many newer ones, is refused with a reason', async () => {
    const trigger = await waitingTrigger();
    await stores.pool.query(rows()`
      INSERT INTO job_triggers (job_id, requested_by, requested_at, check_until, checks)
      SELECT job_id, 'bob', requested_at, check_until, checks FROM job_triggers, generate_series(1, 200)
      WHERE id = ${trigger.request}`);
    expect(await endTriggerWait(trigger, { ...stores, now })).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'NotDecided', message: expect.stringContaining('may still get its build') }],
    });
  });

  test('a trigger does not wait for a check if its resource has switched to another history', async () => {
    const trigger = await waitingTrigger();
    const jobs = [job('unit', get('git.app', { trigger: false }), task('test'))];
    const resources = [resource('git.app', { params: { url: 'https://other.test' } })];
    await stores.pipelines.savePipeline(
      toSave(samplePipeline({ resources, jobs }), { digest: 'another source' }),
    );
    await scheduleAll();
    expect(await stores.builds.triggerAnswer(trigger)).toMatchObject({
      answer: 'refused',
      reasons: [{ code: 'NoVersion' }, { code: 'CheckLate' }, { code: 'CheckLate' }],
    });
  });
});

describe('processes that die during a trigger', () => {
  beforeEach(findFirstVersions);

  test('the operator creates the build in time if the gateway dies', async () => {
    const trigger = await waitingTrigger();
    expect(await scheduleAll()).toEqual([]);
    await passDeadline();
    expect(await scheduleAll()).toMatchObject([{ job: 'unit', number: '1' }]);
    expect(await stores.builds.triggerAnswer(trigger)).toMatchObject({
      checks: [{ result: 'late' }, { result: 'late' }],
    });
    expect(await scheduleAll()).toEqual([]);
  });

  test('the gateway creates the build in time if the operator dies, and says that checks were late', async () => {
    const clock = { ms: Date.now() };
    const answer = await triggerJobAfterChecks(
      UNIT,
      { by: 'ann' },
      {
        builds: stores.builds,
        notifications,
        now: () => new Date(clock.ms),
        sleep: async (milliseconds) => void (clock.ms += milliseconds),
      },
    );
    expect(answer).toMatchObject({
      answer: 'created',
      build: { number: '1' },
      checks: [{ result: 'late' }, { result: 'late' }],
    });
    // The checks that nobody ran are still due, and the trigger has had its build.
    expect((await stores.checks.dueChecks(now(), 10)).map(({ cause }) => cause)).toEqual([
      'manual',
      'manual',
    ]);
    expect(await scheduleAll()).toEqual([]);
  });

  test('a trigger gets one build if the next gateway and the next operator answer it together', async () => {
    const trigger = await waitingTrigger();
    await passDeadline();
    const [answer] = await Promise.all([
      endTriggerWait(trigger, { ...stores, now }),
      scheduleAll(),
      endTriggerWait(trigger, { ...stores, now }),
    ]);
    expect(answer).toMatchObject({ answer: 'created', build: { number: '1' } });
    expect((await stores.views.builds(UNIT, { limit: 10 }))?.rows).toHaveLength(1);
  });
});

test('a notification wakes the waiting trigger', async () => {
  await findFirstVersions();
  const asleep = Promise.withResolvers<void>();
  const answer = triggerJobAfterChecks(
    UNIT,
    { by: 'ann' },
    {
      builds: stores.builds,
      notifications,
      now,
      sleep: async (_milliseconds, until) => {
        asleep.resolve();
        await new Promise((resolve) => until.addEventListener('abort', resolve, { once: true }));
      },
    },
  );
  await asleep.promise;
  const run = await openRunOf('git.app', 'git.docs');
  await recordResult(run, 'git.app', 'a2');
  await recordResult(run, 'git.docs');
  await scheduleAll();
  notifications.deliver({ topic: 'status', pipeline: saved.id });
  expect(await answer).toMatchObject({ answer: 'created', build: { number: '1' } });
  expect(notifications.listeners).toBe(0);
});

test('a trigger of a job without a get that can be checked does not wait', async () => {
  const jobs = [job('unit', task('test'))];
  await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs }), { digest: 'no gets' }));
  await scheduleAll();
  expect(await requestTrigger()).toMatchObject({ answer: 'created' });
});

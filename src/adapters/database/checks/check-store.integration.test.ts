import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { get, job, resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { scheduleOn } from '#testing/stores/schedule.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';

const APP = { team: 'main', pipeline: 'app' };
const GIT = { ...APP, resource: 'git.app' };
const SECOND = 1000;
let stores: TestStores;
let saved: SavedPipeline;
let start: number;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const definition = samplePipeline({
    resources: [
      resource('git.app', { schedule: { kind: 'every', seconds: 60 } }),
      resource('git.lib', { schedule: { kind: 'every', seconds: 60 } }),
      resource('git.nightly', { schedule: { kind: 'cron', expression: '0 3 * * *' } }),
      resource('cron.tick', { schedule: { kind: 'every', seconds: 10 } }),
    ],
    jobs: [job('unit', get('git.app'))],
  });
  saved = await stores.pipelines.savePipeline(toSave(definition));
  start = Date.now();
});
afterAll(async () => await stores.close());

const scopeOf = (name: string): number =>
  saved.resources.find((candidate) => candidate.name === name)?.scope ?? 0;
const after = (seconds: number): Date => new Date(start + seconds * SECOND);
const due = async (seconds: number): Promise<string[]> =>
  (await stores.checks.dueChecks(after(seconds), 100)).map((check) => check.resource).toSorted();
const nextCheck = async (name: string): Promise<number> => {
  const at = (await stores.views.resource({ ...APP, resource: name }))?.nextCheckAt?.getTime() ?? 0;
  return Math.round((at - start) / SECOND);
};
const open = async (names: string[], seconds = 1, cause: 'schedule' | 'manual' = 'schedule') =>
  await stores.checks.openRun(names.map(scopeOf), cause, after(seconds));

/** Makes all checks due at `after(0)`, and claims those of all resources except these. */
const claimAllExcept = async (...names: string[]): Promise<void> => {
  const others = saved.resources.map(({ name }) => name).filter((name) => !names.includes(name));
  await stores.pool.query(rows()`
    UPDATE check_scopes SET next_check_at = ${after(0).toISOString()}, requested_at = NULL, timer = 'operator'`);
  await open(others);
};

describe('what is overdue', () => {
  test.each([
    ['a check is overdue after two intervals and no sooner', 'git.app', 119, 121],
    ['a check of the clock is overdue after two of its intervals', 'cron.tick', 19, 21],
    ['a check by a cron expression is overdue two minutes after its time', 'git.nightly', 119, 121],
  ])('%s', async (_sentence, name, early, late) => {
    await claimAllExcept(name);
    expect(await stores.checks.overduePipelines(after(early))).toEqual([]);
    expect(await stores.checks.overduePipelines(after(late))).toEqual([saved.id]);
  });

  test('a running check is not overdue', async () => {
    await claimAllExcept();
    expect(await stores.checks.overduePipelines(after(10_000))).toEqual([]);
  });

  test('no check of a removed pipeline is overdue', async () => {
    await claimAllExcept('git.app');
    expect(await stores.checks.overduePipelines(after(10_000))).toEqual([saved.id]);
    await stores.pipelines.removePipeline(APP);
    expect(await stores.checks.overduePipelines(after(10_000))).toEqual([]);
  });
});

describe('what is due', () => {
  test('every check of a new pipeline is due at once, except that of the clock', async () => {
    expect(await due(1)).toEqual(['git.app', 'git.lib', 'git.nightly']);
    expect(await due(11)).toContain('cron.tick');
  });

  test('a running check is not due, and the next one is an interval later', async () => {
    await open(['git.app', 'git.lib', 'git.nightly']);
    expect(await due(5)).toEqual([]);
    expect(await nextCheck('git.app')).toBeGreaterThan(1);
    expect(await nextCheck('git.app')).toBe(await nextCheck('git.lib'));
  });

  test('all requests during a check lead to one more check', async () => {
    const opened = await open(['git.app', 'git.lib', 'git.nightly']);
    for (let count = 0; count < 5; count += 1) await stores.checks.requestCheck(GIT, 'manual', after(2));
    expect(await due(3)).toEqual([]);
    const run = opened?.run ?? 0;
    await stores.checks.recordCheck({ run, scope: scopeOf('git.app'), versions: [], log: '' }, after(3));
    expect(await stores.checks.dueChecks(after(4), 10)).toMatchObject([
      { resource: 'git.app', cause: 'manual' },
    ]);
    await open(['git.app'], 4, 'manual');
    expect(await due(5)).toEqual([]);
    expect(await nextCheck('git.app')).toBe(64);
  });

  test('a request for an unknown resource is answered as unknown', async () => {
    expect(await stores.checks.requestCheck({ ...APP, resource: 'git.none' }, 'manual', after(1))).toBe(
      'unknown',
    );
    expect(await stores.checks.requestCheck({ ...GIT, team: 'other' }, 'manual', after(1))).toBe('unknown');
  });
});

/** Checks both resources in one run, which finds a new version of these. */
const checkBoth = async (seconds: number, withNewVersion: string[]): Promise<void> => {
  const opened = await open(['git.app', 'git.lib'], seconds, 'manual');
  const run = opened?.run ?? 0;
  for (const name of ['git.app', 'git.lib']) {
    const versions = withNewVersion.includes(name) ? [{ ref: `${name} ${seconds}` }] : [];
    await stores.checks.recordCheck({ run, scope: scopeOf(name), versions, log: '' }, after(seconds));
  }
  await stores.checks.closeRun(run, after(seconds));
};
const webhook = async (seconds: number): Promise<void> =>
  void (await stores.checks.requestCheck(GIT, 'webhook', after(seconds)));
const doWebhooksWork = async (name: string) =>
  (await stores.views.check({ ...APP, resource: name }))?.webhookWorks;

describe('webhooks that work', () => {
  const withWebhookSchedules = samplePipeline({
    resources: [
      resource('git.app', {
        schedule: { kind: 'every', seconds: 60 },
        webhookSchedule: { kind: 'every', seconds: 3600 },
      }),
      resource('git.lib', {
        schedule: { kind: 'every', seconds: 60 },
        webhookSchedule: { kind: 'every', seconds: 3600 },
      }),
    ],
  });
  beforeEach(async () => {
    await stores.empty();
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    saved = await stores.pipelines.savePipeline(toSave(withWebhookSchedules));
    await checkBoth(1, []);
  });

  test('working webhooks slow the timer of their resource, not that of others in the same check', async () => {
    await webhook(100);
    await stores.checks.requestCheck({ ...APP, resource: 'git.lib' }, 'schedule', after(100));
    await checkBoth(100, ['git.app', 'git.lib']);
    expect([await doWebhooksWork('git.app'), await nextCheck('git.app')]).toEqual([true, 3700]);
    expect(await doWebhooksWork('git.lib')).toBe(false);
    expect(await nextCheck('git.lib')).toBeLessThan(300);
  });

  test('webhooks whose checks find nothing do not count as working', async () => {
    await webhook(100);
    await checkBoth(100, []);
    expect([await doWebhooksWork('git.app'), await nextCheck('git.app')]).toEqual([false, 160]);
  });

  test('webhooks no longer count as working once a scheduled check finds what they missed', async () => {
    await webhook(100);
    await checkBoth(100, ['git.app']);
    const opened = await open(['git.app'], 3701);
    const run = opened?.run ?? 0;
    const versions = [{ ref: 'missed' }];
    await stores.checks.recordCheck({ run, scope: scopeOf('git.app'), versions, log: '' }, after(3702));
    expect([await doWebhooksWork('git.app'), await nextCheck('git.app')]).toEqual([false, 3762]);
  });

  test('working webhooks are remembered when the pipeline changes, and reset when the resource changes', async () => {
    await webhook(100);
    await checkBoth(100, ['git.app']);
    await stores.pipelines.savePipeline(
      toSave({ ...withWebhookSchedules, jobs: [job('other', get('git.app'))] }),
    );
    expect([await doWebhooksWork('git.app'), await nextCheck('git.app')]).toEqual([true, 3700]);
    const [app, ...others] = withWebhookSchedules.resources;
    const changed = [{ ...(app ?? resource('git.app')), params: { url: 'elsewhere' } }, ...others];
    await stores.pipelines.savePipeline(toSave({ ...withWebhookSchedules, resources: changed }));
    expect(await doWebhooksWork('git.app')).toBe(false);
    expect(await nextCheck('git.app')).toBeLessThan(200);
  });
});

describe('a run', () => {
  test('a run is opened once, however many processes try at once', async () => {
    const opened = await Promise.all(Array.from({ length: 10 }, () => open(['git.app', 'git.lib'])));
    expect(opened.filter((run) => run !== undefined)).toHaveLength(1);
    expect(await stores.checks.openRuns()).toMatchObject([{ ...APP, group: 'every-60s', seen: false }]);
  });

  test('a run has the last version of each of its resources', async () => {
    const first = await open(['git.app']);
    const versions = [{ ref: 'a' }, { ref: 'b' }];
    await stores.checks.recordCheck(
      { run: first?.run ?? 0, scope: scopeOf('git.app'), versions, log: '' },
      after(1),
    );
    const second = await open(['git.app', 'git.lib'], 200);
    expect(await stores.checks.runFacts(second?.run ?? 0)).toMatchObject({
      checks: [
        { resource: 'git.app', last: { ref: 'b' } },
        { resource: 'git.lib', scope: scopeOf('git.lib') },
      ],
    });
  });

  test('a run is planned from the revision under which it was opened, whatever is saved meanwhile', async () => {
    const opened = await open(['git.app', 'git.lib']);
    const before = await stores.checks.runFacts(opened?.run ?? 0);
    const changed =
      before?.definition.resources.map((checked) => ({ ...checked, params: { url: 'elsewhere' } })) ?? [];
    const again = await stores.pipelines.savePipeline(toSave({ ...samplePipeline(), resources: changed }));
    expect(await stores.checks.runFacts(opened?.run ?? 0)).toEqual(before);
    const nightly = again.resources.flatMap(({ name, scope }) => (name === 'git.nightly' ? scope : []));
    await stores.checks.requestCheck({ ...APP, resource: 'git.nightly' }, 'manual', after(2));
    const next = await stores.checks.openRun(nightly, 'schedule', after(2));
    expect((await stores.checks.runFacts(next?.run ?? 0))?.definition.resources).toEqual(changed);
  });

  test('a run that a previous release opened without a revision is planned from the newest one', async () => {
    const opened = await open(['git.app']);
    await stores.pool.query(rows()`UPDATE check_runs SET revision_id = NULL`);
    expect((await stores.checks.runFacts(opened?.run ?? 0))?.checks).toMatchObject([{ resource: 'git.app' }]);
  });

  test('a run omits a resource that was removed meanwhile, ignores its result and does not fail', async () => {
    const opened = await open(['git.app', 'git.lib']);
    const run = opened?.run ?? 0;
    await stores.pipelines.savePipeline(toSave(samplePipeline()));
    expect((await stores.checks.runFacts(run))?.checks).toMatchObject([{ resource: 'git.app' }]);
    const late = { run, scope: scopeOf('git.lib'), versions: [{ ref: 'a' }], log: '' };
    expect(await stores.checks.recordCheck(late, after(2))).toEqual({ recorded: [], awaited: false });
    await stores.checks.closeRun(run, after(3), 'The Pod is gone.');
    expect(await stores.views.resource(GIT)).toMatchObject({ checkError: 'The Pod is gone.' });
    const again = samplePipeline({ resources: [resource('git.app'), resource('git.lib')] });
    await stores.pipelines.savePipeline(toSave(again));
    expect(await stores.views.resource({ ...APP, resource: 'git.lib' })).not.toHaveProperty('checkError');
    expect(await due(500)).toContain('git.lib');
  });

  test('a closed run frees its resources with the error, and its late results are ignored', async () => {
    const opened = await open(['git.app']);
    const run = opened?.run ?? 0;
    await stores.checks.closeRun(run, after(5), 'The Pod is gone.');
    await stores.checks.closeRun(run, after(6), 'again');
    expect(await stores.views.resource(GIT)).toMatchObject({ checkError: 'The Pod is gone.' });
    expect(await nextCheck('git.app')).toBe(125);
    const late = { run, scope: scopeOf('git.app'), versions: [{ ref: 'a' }], log: '' };
    expect((await stores.checks.recordCheck(late, after(7))).recorded).toEqual([]);
    expect(await stores.checks.runFacts(run)).toBeUndefined();
    expect(await stores.checks.openRuns()).toEqual([]);
  });

  test("a run of a CronJob's Pod takes the free resources of its group, and the same Pod gets the same run again", async () => {
    const group = (await stores.checks.dueChecks(after(1), 10)).find(
      (check) => check.resource === 'git.nightly',
    )?.group;
    const pod = { namespace: 'main', uid: 'pod-1' };
    const foreign = { namespace: 'other', uid: 'pod-9' };
    expect(await stores.checks.openRunForPod(saved.id, group ?? '', foreign, after(99))).toBeUndefined();
    const run = await stores.checks.openRunForPod(saved.id, group ?? '', pod, after(100));
    expect(run).toBeGreaterThan(0);
    expect(await stores.checks.openRunForPod(saved.id, group ?? '', pod, after(101))).toBe(run);
    const late = { namespace: 'main', uid: 'pod-2' };
    expect(await stores.checks.openRunForPod(saved.id, group ?? '', late, after(102))).toBeUndefined();
    expect(await stores.checks.openRuns()).toMatchObject([{ run, seen: true, podUid: 'pod-1' }]);
  });
});

const record = async (versions: Record<string, string>[], seconds: number): Promise<number[]> => {
  const opened = await open(['git.app'], seconds);
  const result = { run: opened?.run ?? 0, scope: scopeOf('git.app'), versions, log: 'the log' };
  return (await stores.checks.recordCheck(result, after(seconds + 1))).recorded;
};
const refs = async (): Promise<(string | undefined)[]> =>
  (await stores.views.versions(GIT, { limit: 200 }))?.rows.map(({ fields }) => fields['ref']) ?? [];

describe('what a check found', () => {
  test('new versions are saved in order, and known ones are ignored, whatever the order of their fields', async () => {
    expect(await record([{ ref: 'a', n: '1' }, { ref: 'b' }], 1)).toHaveLength(2);
    expect(
      await record([{ n: '1', ref: 'a' }, { ref: 'b' }, { ref: 'c' }, { ref: 'c' }, { ref: 'd' }], 500),
    ).toHaveLength(2);
    expect(await refs()).toEqual(['d', 'c', 'b', 'a']);
  });

  test('versions above the limit are counted until a check is complete or reaches known ones', async () => {
    const versions = Array.from({ length: 100 }, (_, index) => ({ ref: String(index) }));
    const omitted = async (found: Record<string, string>[], seconds: number): Promise<unknown> => {
      const opened = await open(['git.app'], seconds);
      const result = {
        run: opened?.run ?? 0,
        scope: scopeOf('git.app'),
        versions: found,
        omitted: 7,
        log: '',
      };
      await stores.checks.recordCheck(result, after(seconds + 1));
      const [shown] = (await stores.pipelines.pipelineFacts(APP))?.resources ?? [];
      expect((await stores.views.resource(GIT))?.omitted).toBe(shown?.omitted);
      return shown?.omitted;
    };
    expect(await omitted(versions, 1)).toBe(7);
    expect(await omitted(versions, 500)).toBeUndefined();
    expect(await omitted([{ ref: '99' }, { ref: 'new' }], 1000)).toBeUndefined();
    expect(await omitted([{ ref: 'newer' }, { ref: 'newer' }], 1500)).toBe(7);
    await record([{ ref: 'newest' }], 2000);
    expect(await stores.views.resource(GIT)).not.toHaveProperty('omitted');
  });

  test('a version with text that Postgres refuses is saved', async () => {
    const versions = [{ ref: 'a\0b', half: '\u{d800}' }];
    const opened = await open(['git.app'], 1);
    const result = { run: opened?.run ?? 0, scope: scopeOf('git.app'), versions, log: 'a\0b' };
    expect((await stores.checks.recordCheck(result, after(2))).recorded).toHaveLength(1);
    expect((await refs())[0]).toBe('a\u{fffd}b');
  });

  test('a result that the agent sends again counts once', async () => {
    const opened = await open(['git.app']);
    const result = { run: opened?.run ?? 0, scope: scopeOf('git.app'), versions: [{ ref: 'a' }], log: '' };
    const answers = await Promise.all([1, 2, 3].map(() => stores.checks.recordCheck(result, after(2))));
    expect(answers.flatMap(({ recorded }) => recorded)).toHaveLength(1);
  });

  test('a result requests a decision only if something is new', async () => {
    await scheduleOn(stores, saved.id, after(1), () => ({
      builds: [],
      interrupted: [],
      waiting: [],
      refused: [],
      settled: [],
      unfinished: [],
      needs: [],
    }));
    await record([], 1);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([]);
    await record([{ ref: 'a' }], 500);
    expect(await stores.builds.pipelinesToSchedule(10)).toEqual([saved.id]);
  });

  test('a failed check is shown, retried after longer and longer waits, and reset after a success', async () => {
    const waits: number[] = [];
    for (let seconds = 1; waits.length < 4;) {
      const opened = await open(['git.app'], seconds);
      const failed = { run: opened?.run ?? 0, scope: scopeOf('git.app'), error: 'no route', log: '' };
      await stores.checks.recordCheck(failed, after(seconds));
      const next = await nextCheck('git.app');
      waits.push(next - seconds);
      seconds = next + 1;
    }
    expect(waits).toEqual([120, 240, 480, 960]);
    expect(await stores.views.resource(GIT)).toMatchObject({ checkError: 'no route' });
    await record([], 10_000);
    expect(await stores.views.resource(GIT)).not.toHaveProperty('checkError');
  });
});

const recordTick = async (date: string, seconds: number): Promise<number> => {
  const result = { scope: scopeOf('cron.tick'), versions: [{ date }], log: '' };
  return (await stores.checks.recordCheck(result, after(seconds))).recorded.length;
};

describe('a check without a Pod', () => {
  test('a check without a Pod is answered once each time it is due, by any process', async () => {
    expect(await recordTick('too early', 5)).toBe(0);
    const answers = await Promise.all(['a', 'b', 'c'].map((date) => recordTick(date, 11)));
    expect(answers.toSorted((a, b) => a - b)).toEqual([0, 0, 1]);
    expect(await recordTick('again', 12)).toBe(0);
    expect(await recordTick('later', 40)).toBe(1);
  });

  test('a check without a Pod is answered when a person asks, and its timer restarts', async () => {
    await stores.checks.requestCheck({ ...APP, resource: 'cron.tick' }, 'manual', after(3));
    expect(await stores.checks.dueChecks(after(3), 10)).toEqual(
      expect.arrayContaining([expect.objectContaining({ resource: 'cron.tick', builtInCron: true })]),
    );
    expect(await recordTick('asked', 3)).toBe(1);
    expect(await nextCheck('cron.tick')).toBe(13);
  });
});

test('checks that do not start are shown as stalled', async () => {
  const stalled = async (): Promise<boolean | undefined> =>
    (await stores.pipelines.pipelineFacts(APP))?.resources.find(({ name }) => name === 'git.app')?.stalled;
  expect(await stalled()).toBe(false);
  await stores.pool.query(rows()`
    UPDATE check_scopes SET next_check_at = now() - interval '3 minutes' WHERE id = ${scopeOf('git.app')}`);
  expect(await stalled()).toBe(true);
});

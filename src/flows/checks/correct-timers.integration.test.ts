import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { job, resource, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { openStores, toSave, type TestStores } from '#testing/stores/stores.ts';
import { correctTimers } from './correct-timers.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;
let stores: TestStores;
let saved: SavedPipeline;

beforeAll(async () => void (stores = await openStores()));
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const resources = [
    resource('git.app', { schedule: { kind: 'every', seconds: 60 } }),
    resource('git.weekly', { schedule: { kind: 'every', seconds: 7 * 24 * 3600 } }),
    resource('cron.hourly', { schedule: { kind: 'cron', expression: '0 * * * *' } }),
  ];
  saved = await stores.pipelines.savePipeline(
    toSave(samplePipeline({ resources, jobs: [job('unit', task('test'))] })),
  );
});
afterAll(async () => await stores.close());

const at = (milliseconds: number): Date => new Date(Date.now() + milliseconds);
const scopeOf = (name: string): number => saved.resources.find((known) => known.name === name)?.scope ?? 0;
const due = async (date: Date): Promise<string[]> =>
  (await stores.checks.dueChecks(date, 100)).map((check) => check.resource).toSorted();
const correct = async (date: Date): Promise<number> =>
  await correctTimers({ checks: stores.checks, now: () => date });

/** Checks all resources. `fail`: the checks fail. */
async function checkAll(date: Date, fail = false): Promise<void> {
  const scopes = saved.resources.map(({ scope }) => scope);
  const { run = 0 } = (await stores.checks.openRun(scopes, 'manual', date)) ?? {};
  const outcome = fail ? { error: 'no' } : { versions: [] };
  for (const scope of scopes) await stores.checks.recordCheck({ run, scope, log: '', ...outcome }, date);
  await stores.checks.closeRun(run, date);
}

test('checks continue after a leader whose clock was a day ahead', async () => {
  await checkAll(at(24 * HOUR));
  expect(await due(at(HOUR + SECOND))).toEqual([]);
  expect(await correct(at(SECOND))).toBe(2);
  expect(await due(at(SECOND))).toEqual([]);
  expect(await due(at(62 * SECOND))).toContain('git.app');
  expect(await due(at(HOUR + SECOND))).toEqual(['cron.hourly', 'git.app']);
});

test('a check with a cron expression that failed under such a leader runs at the next time of the expression', async () => {
  await checkAll(at(24 * HOUR), true);
  await correct(at(SECOND));
  expect(await due(at(HOUR + SECOND))).toContain('cron.hourly');
});

test.each([
  ['that succeeded', false],
  ['that failed', true],
])('the times of checks %s stay if no clock was wrong', async (_sentence, fail) => {
  await checkAll(at(SECOND), fail);
  for (let count = 0; count < 8; count += 1) {
    expect(await correct(at(2 * SECOND))).toBe(0);
    await stores.checks.requestCheck({ team: 'main', pipeline: 'app', resource: 'git.app' }, 'manual', at(0));
    const { run = 0 } = (await stores.checks.openRun([scopeOf('git.app')], 'manual', at(SECOND))) ?? {};
    const outcome = fail ? { error: 'no' } : { versions: [] };
    await stores.checks.recordCheck({ run, scope: scopeOf('git.app'), log: '', ...outcome }, at(SECOND));
    await stores.checks.closeRun(run, at(SECOND));
  }
  expect(await correct(at(2 * SECOND))).toBe(0);
});

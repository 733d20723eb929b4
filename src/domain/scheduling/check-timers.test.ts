import { describe, expect, test } from '@jest/globals';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import {
  afterFailure,
  afterSuccess,
  causeOfCronJobPod,
  claimScopes,
  mayRecord,
  omittedVersions,
  type CheckedScope,
  type CheckSucceeded,
  type FreeScope,
} from './check-timers.ts';

const MINUTE = 60_000;
const AT = 1_000_000 * MINUTE;
const minutely = (_schedule: Schedule, after: number): number => after + MINUTE;
const every = (minutes: number) => ({ kind: 'every', seconds: minutes * 60 }) as const;

const free = (more: Partial<FreeScope> = {}): FreeScope => ({
  id: 5,
  pipeline: 1,
  group: 'every-60s',
  timer: 'operator',
  schedule: every(10),
  next: AT,
  failures: 0,
  ...more,
});
const checked = (more: Partial<CheckedScope> = {}): CheckedScope => ({
  ...free(),
  due: true,
  webhookWorks: false,
  ...more,
});

describe('the claim of a run', () => {
  test('a claimed scope keeps the cause for which it was requested', () => {
    const scopes = [free({ id: 1, requestedCause: 'webhook' }), free({ id: 2 })];
    expect(claimScopes(scopes, 'webhook', AT, minutely)).toMatchObject([
      { scope: 1, cause: 'webhook', next: AT + 10 * MINUTE },
      { scope: 2, cause: 'schedule' },
    ]);
    expect(claimScopes([free()], 'manual', AT, minutely)).toMatchObject([
      { cause: 'manual', next: AT + 10 * MINUTE },
    ]);
  });

  test('a claimed scope without a schedule is not due again', () => {
    const { schedule: _, ...unscheduled } = free();
    expect(claimScopes([unscheduled], 'manual', AT, minutely)).toEqual([{ scope: 5, cause: 'manual' }]);
  });

  test.each([
    ['cronjob', 'schedule'],
    ['operator', 'manual'],
  ] as const)('the Pod of a CronJob claims scopes timed by %s with the cause %s', (timer, cause) => {
    expect(causeOfCronJobPod([free({ timer })])).toBe(cause);
  });
});

describe('a result', () => {
  test.each<[string, Partial<CheckedScope>, run: number | undefined, counts: boolean]>([
    ['a result of the run that has the scope counts', { run: 7 }, 7, true],
    ['a result of another run does not count', { run: 8 }, 7, false],
    ['a result of a closed run does not count', {}, 7, false],
    ['a result without a run counts while the check is due', {}, undefined, true],
    [
      'a result without a run does not count once the check is no longer due',
      { due: false },
      undefined,
      false,
    ],
    ['a result without a run does not count while a run has the scope', { run: 7 }, undefined, false],
  ])('%s', (_, scope, run, counts) => {
    expect(mayRecord(checked(scope), run)).toBe(counts);
  });

  test('a result that dropped versions counts as incomplete only if all its versions are new', () => {
    expect(omittedVersions(3, { added: 100, different: 100 })).toBe(3);
    expect(omittedVersions(3, { added: 99, different: 100 })).toBe(0);
  });
});

const after = (scope: Partial<CheckedScope>, more: Partial<CheckSucceeded> = {}) =>
  afterSuccess(checked(scope), { atOnce: false, found: 0, at: AT, ...more }, minutely);

describe('the next check', () => {
  test('after a check in a Pod, the scope keeps the due time that it got when a run claimed it', () => {
    expect(after({ next: AT + MINUTE })).toEqual({
      webhookWorks: false,
      schedule: every(10),
      next: AT + MINUTE,
    });
  });

  test('after a check without a Pod, the scope is due by its schedule', () => {
    const schedule = { kind: 'cron', expression: '* * * * *' } as const;
    expect(after({ schedule }, { atOnce: true })).toEqual({
      webhookWorks: false,
      schedule,
      next: AT + MINUTE,
    });
  });

  test('after a webhook led to a version, the rarer schedule counts from now', () => {
    const scope = { runCause: 'webhook', usualSchedule: every(10), webhookSchedule: every(60) } as const;
    expect(after(scope, { found: 1 })).toEqual({
      webhookWorks: true,
      schedule: every(60),
      next: AT + 60 * MINUTE,
    });
  });

  test('after a scheduled check found a version without a webhook, the usual schedule applies again', () => {
    const scope = {
      runCause: 'schedule',
      webhookWorks: true,
      schedule: every(60),
      usualSchedule: every(10),
      webhookSchedule: every(60),
    } as const;
    expect(after(scope, { found: 1 })).toEqual({
      webhookWorks: false,
      schedule: every(10),
      next: AT + 10 * MINUTE,
    });
  });

  test('after a failed check, a scope waits longer, and a scope without a schedule is not due again', () => {
    const { schedule: _, ...unscheduled } = free();
    expect(afterFailure(free({ failures: 1 }), AT, minutely)).toBe(AT + 40 * MINUTE);
    expect(afterFailure(unscheduled, AT, minutely)).toBeUndefined();
  });
});

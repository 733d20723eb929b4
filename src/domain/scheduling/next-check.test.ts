import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import {
  checksStalled,
  checkTimer,
  nextAfterFailure,
  nextCheck,
  type CheckStarted,
  type CronNext,
} from './next-check.ts';

const MINUTE = 60_000;
/** Every full minute, whatever the expression says. */
const minutely: CronNext = (_, after) => (Math.floor(after / MINUTE) + 1) * MINUTE;
const never: CronNext = () => undefined;
const every = (seconds: number): CheckStarted['schedule'] => ({ kind: 'every', seconds });
const cron: CheckStarted['schedule'] = { kind: 'cron', expression: '* * * * *' };

const nextOf = (pipeline: number): number =>
  (nextCheck({ schedule: every(60), pipeline, cause: 'schedule', due: 0, at: 0 }, never) ?? 0) % MINUTE;

describe('the due time after a check has started', () => {
  test('is one full interval away when a person or a webhook asked for it', () => {
    for (const cause of ['manual', 'webhook'] as const) {
      const started = { schedule: every(60), pipeline: 3, cause, due: 0, at: 7 * MINUTE };
      expect(nextCheck(started, never)).toBe(8 * MINUTE);
    }
  });

  test('by cron is what the expression says', () => {
    expect(nextCheck({ schedule: cron, pipeline: 3, cause: 'schedule', due: 0, at: 90_000 }, minutely)).toBe(
      2 * MINUTE,
    );
    expect(
      nextCheck({ schedule: cron, pipeline: 3, cause: 'manual', due: 0, at: 90_000 }, never),
    ).toBeUndefined();
  });

  const drawn = fc.record({
    pipeline: fc.integer({ min: 1, max: 100_000 }),
    seconds: fc.integer({ min: 10, max: 86_400 }),
    due: fc.integer({ min: 0, max: 10 ** 10 }),
    late: fc.integer({ min: -(10 ** 6), max: 10 ** 6 }),
  });

  test('lies ahead even when the check started at the very moment of the next one', () => {
    const started = { schedule: every(10), pipeline: 1, cause: 'schedule' as const, due: 0, at: 6180 };
    expect(nextCheck(started, never)).toBe(16_180);
  });

  test('keeps the pace, lies ahead, and is never more than one and a half intervals away', () => {
    fc.assert(
      fc.property(drawn, ({ pipeline, seconds, due, late }) => {
        const at = due + late;
        const next =
          nextCheck({ schedule: every(seconds), pipeline, cause: 'schedule', due, at }, never) ?? 0;
        expect(next).toBeGreaterThan(at);
        expect(next).toBeLessThanOrEqual(at + 1.5 * seconds * 1000 + 1);
        const after = nextCheck(
          { schedule: every(seconds), pipeline, cause: 'schedule', due: next, at: next },
          never,
        );
        expect(Math.abs((after ?? 0) - next - seconds * 1000)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test('spreads pipelines over the interval and keeps the resources of one together', () => {
    const seconds = new Set(Array.from({ length: 60 }, (_, index) => Math.floor(nextOf(index + 1) / 1000)));
    expect(seconds.size).toBeGreaterThan(40);
    expect(nextOf(5)).toBe(nextOf(5));
  });
});

describe('after failures', () => {
  test.each<[string, number, number]>([
    ['the first waits twice as long', 1, 2],
    ['the third eight times', 3, 8],
    ['later ones at most an hour', 30, 60],
  ])('%s', (_, failures, minutes) => {
    const next = nextAfterFailure({ schedule: every(60), failures, at: 0, planned: MINUTE });
    expect(next).toBe(minutes * MINUTE);
  });

  test('an interval longer than an hour is not shortened, and a CronJob keeps its own time', () => {
    expect(nextAfterFailure({ schedule: every(7200), failures: 9, at: 0, planned: 7_200_000 })).toBe(
      7_200_000,
    );
    expect(nextAfterFailure({ schedule: cron, failures: 9, at: 0, planned: 5 })).toBe(5);
  });
});

test('checks are stalled when nobody started one for two intervals after it was due', () => {
  expect(checksStalled({ schedule: every(60), next: 0, now: 2 * MINUTE }, never)).toBe(false);
  expect(checksStalled({ schedule: every(60), next: 0, now: 2 * MINUTE + 1 }, never)).toBe(true);
  expect(checksStalled({ schedule: cron, next: 0, now: 2 * MINUTE + 1 }, minutely)).toBe(true);
  expect(checksStalled({ schedule: cron, next: 0, now: 2 * MINUTE + 1 }, never)).toBe(false);
});

const resource = (schedule?: Resource['schedule']): Resource => ({
  name: 'a.b',
  type: 'a',
  label: 'b',
  params: {},
  tags: [],
  cache: false,
  ...(schedule === undefined ? {} : { schedule }),
});

describe('scheduled checks are started', () => {
  const shell: ResourceType = {
    name: 'git',
    builtIn: true,
    params: [],
    cache: false,
    check: { runner: 'shell', cmd: ':' },
  };
  const silent: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };
  test.each<[string, Resource, ResourceType, string]>([
    ['by a CronJob for a cron expression', resource(cron), shell, 'cronjob'],
    ['by the operator for an interval', resource(every(10)), shell, 'operator'],
    ['by the operator for the built-in cron, which needs no Pod', resource(cron), silent, 'operator'],
    [
      'by the operator for the built-in cron under another name',
      resource(cron),
      { ...silent, name: 'clock' },
      'operator',
    ],
    [
      'by the operator where webhooks may change the pace of a cron expression',
      { ...resource(cron), webhookSchedule: every(3600) },
      shell,
      'operator',
    ],
    ['by the operator once webhooks work', { ...resource(), webhookSchedule: cron }, shell, 'operator'],
    ['by nobody without a schedule', resource(), shell, 'none'],
    ['by nobody for a type that cannot check', resource(every(10)), { ...silent, builtIn: false }, 'none'],
  ])('%s', (_, one, type, expected) => {
    expect(checkTimer(one, type)).toBe(expected);
  });
});

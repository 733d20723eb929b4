import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Resource, ResourceType } from '#domain/pipeline/pipeline.ts';
import {
  checksStalled,
  checkTimer,
  latestDue,
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

describe('the next due time', () => {
  test('a check that a person or a webhook requested puts the next one a full interval later', () => {
    for (const cause of ['manual', 'webhook'] as const) {
      const started = { schedule: every(60), pipeline: 3, cause, due: 0, at: 7 * MINUTE };
      expect(nextCheck(started, never)).toBe(8 * MINUTE);
    }
  });

  test('a cron expression sets the next due time', () => {
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

  test('the next due time lies ahead even if the check started at that moment', () => {
    const started = { schedule: every(10), pipeline: 1, cause: 'schedule' as const, due: 0, at: 6180 };
    expect(nextCheck(started, never)).toBe(16_180);
  });

  test('the next due time keeps the pace and is at most one and a half intervals ahead', () => {
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

  test('pipelines are spread over the interval, and the resources of one stay together', () => {
    const seconds = new Set(Array.from({ length: 60 }, (_, index) => Math.floor(nextOf(index + 1) / 1000)));
    expect(seconds.size).toBeGreaterThan(40);
    expect(nextOf(5)).toBe(nextOf(5));
  });
});

describe('after failures', () => {
  test.each<[string, number, number]>([
    ['the first failure doubles the wait', 1, 2],
    ['the third failure multiplies the wait by eight', 3, 8],
    ['further failures wait at most an hour', 30, 60],
  ])('%s', (_, failures, minutes) => {
    const failed = { timer: 'operator', failures, at: 0, planned: MINUTE } as const;
    expect(nextAfterFailure({ ...failed, schedule: every(60) }, never)).toBe(minutes * MINUTE);
    // The operator starts these checks, because the schedule also depends on webhooks.
    expect(nextAfterFailure({ ...failed, schedule: cron }, minutely)).toBe(minutes * MINUTE);
    expect(nextAfterFailure({ ...failed, at: 5000, schedule: cron }, minutely)).toBe(minutes * MINUTE);
  });

  test('failures do not shorten a longer interval and do not change a CronJob', () => {
    const planned = 120 * MINUTE;
    const failed = { timer: 'operator', failures: 9, at: 0, planned } as const;
    const everyOtherHour: CronNext = (_, after) => (Math.floor(after / planned) + 1) * planned;
    expect(nextAfterFailure({ ...failed, schedule: every(7200) }, never)).toBe(planned);
    expect(nextAfterFailure({ ...failed, schedule: cron }, everyOtherHour)).toBe(planned);
    expect(nextAfterFailure({ ...failed, schedule: cron, timer: 'cronjob', planned: 5 }, minutely)).toBe(5);
    expect(nextAfterFailure({ ...failed, schedule: cron }, never)).toBe(planned);
  });

  test('a check of the operator by a cron expression that waits after failures is not due too late', () => {
    expect(latestDue({ schedule: cron, failures: 0, at: 0 }, minutely)).toBe(MINUTE);
    expect(latestDue({ schedule: cron, failures: 1, at: 0 }, minutely)).toBe(61 * MINUTE);
  });
});

test('checks are stalled if none started within two intervals after it was due', () => {
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

describe('who starts scheduled checks', () => {
  const shell: ResourceType = {
    name: 'git',
    builtIn: true,
    params: [],
    cache: false,
    check: { runner: 'shell', cmd: ':' },
  };
  const silent: ResourceType = { name: 'cron', builtIn: true, params: [], cache: false };
  test.each<[string, Resource, ResourceType, string]>([
    ['a CronJob starts checks by a cron expression', resource(cron), shell, 'cronjob'],
    ['the operator starts checks by an interval', resource(every(10)), shell, 'operator'],
    ['the operator runs the built-in cron, which needs no Pod', resource(cron), silent, 'operator'],
    [
      'the operator runs the built-in cron under another name',
      resource(cron),
      { ...silent, name: 'clock' },
      'operator',
    ],
    [
      'the operator starts checks by a cron expression whose pace webhooks may change',
      { ...resource(cron), webhookSchedule: every(3600) },
      shell,
      'operator',
    ],
    [
      'the operator starts checks once webhooks work',
      { ...resource(), webhookSchedule: cron },
      shell,
      'operator',
    ],
    ['nobody starts checks without a schedule', resource(), shell, 'none'],
    [
      'nobody starts checks of a type that cannot check',
      resource(every(10)),
      { ...silent, builtIn: false },
      'none',
    ],
  ])('%s', (_, checkedResource, type, expected) => {
    expect(checkTimer(checkedResource, type)).toBe(expected);
  });
});

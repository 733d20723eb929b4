import { describe, expect, test } from '@jest/globals';
import type { LogFill } from '#domain/build/judge-logs.ts';
import { readyIn, teamStatus, type TeamStatus } from './team-status.ts';

const OBJECT = {
  name: 'blue',
  namespace: '',
  uid: 'u1',
  resourceVersion: '7',
  generation: 3,
  finalizers: [],
  spec: {},
  status: undefined,
};
const FIRST = new Date('2026-11-22T12:00:00Z');
const LATER = new Date('2026-11-22T12:05:00Z');

function statusOf(fill: LogFill | undefined, before?: TeamStatus, now = FIRST): TeamStatus {
  return teamStatus({
    object: OBJECT,
    conditions: [readyIn('team-blue')],
    before,
    pipelineCount: 2,
    limits: { logBytes: '1Gi' },
    fill,
    now,
  });
}

const logsOf = ({ conditions = [] }: TeamStatus) => conditions.find(({ type }) => type === 'LogsNearLimit');

describe('the condition LogsNearLimit of a Team', () => {
  const cases: Record<string, [fill: LogFill, condition: object | undefined]> = {
    'is absent while there is room': ['fine', undefined],
    'says that the logs are near the limit': [
      'near',
      {
        status: 'True',
        reason: 'NearLimit',
        message: expect.stringMatching(/more than 80 % of limits\.logBytes \(1Gi\)/),
      },
    ],
    'says that the logs have reached the limit': [
      'full',
      {
        status: 'True',
        reason: 'LimitReached',
        message: expect.stringMatching(/reached limits\.logBytes \(1Gi\)/),
      },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [fill, expected]) => {
    const condition = logsOf(statusOf(fill));
    if (expected === undefined) expect(condition).toBeUndefined();
    else expect(condition).toMatchObject({ ...expected, observedGeneration: 3 });
  });

  test('keeps its status and time until a new leader has counted the logs', () => {
    const before = statusOf('near');
    expect(statusOf(undefined, before, LATER)).toEqual(before);
    expect(logsOf(statusOf(undefined))).toBeUndefined();
  });

  test('keeps its time while the logs fill up, and disappears when there is room again', () => {
    const near = statusOf('near');
    const full = statusOf('full', near, LATER);
    expect(logsOf(full)).toMatchObject({
      reason: 'LimitReached',
      lastTransitionTime: '2026-11-22T12:00:00Z',
    });
    expect(logsOf(statusOf('fine', full, LATER))).toBeUndefined();
  });
});

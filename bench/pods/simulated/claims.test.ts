import { describe, expect, test } from '@jest/globals';
import { capacityOf, spreadOf, summariseClaims, type Claim } from './claims.ts';

const claim = (run: number, scope: number, [due, claimed, ended]: [number, number, number?]): Claim => ({
  run,
  scope,
  due,
  claimed,
  ...(ended === undefined ? {} : { ended }),
});

describe('the claims of a period', () => {
  const claims = [
    claim(1, 1, [0, 500, 1500]),
    claim(1, 2, [0, 500, 1700]),
    claim(2, 3, [900, 1000, 1600]),
    claim(3, 4, [1600, 1700]),
    claim(4, 5, [9000, 11_000, 12_000]),
  ];
  const summary = summariseClaims(claims, 0, 10_000);

  test('are counted by check and by Pod if they began in it', () => {
    expect(summary).toMatchObject({ checks: 4, pods: 3, perSecond: 0.3 });
    expect(summary.resourcesPerPod).toBeCloseTo(4 / 3);
  });

  test('have the delays from due to claim and from due to result', () => {
    expect(summary.late).toEqual({ median: 100, p90: 500, max: 500 });
    expect(summary.known).toEqual({ median: 1500, p90: 1500, max: 1700 });
  });

  test('hold a slot from the first claim of a run to its last result, and do not count without an end', () => {
    expect(summary.held).toEqual({ median: 600, p90: 600, max: 1200 });
  });

  test('may overlap, and a slot is free again at the moment the previous claim ends', () => {
    expect(summary.maxPods).toBe(2);
  });
});

test('a spread does not depend on the order of its values', () => {
  expect(spreadOf([10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])).toEqual({ median: 5, p90: 9, max: 10 });
});

test('a limit of ten Pods of half a second each allows twenty a second, and 300 groups take fifteen seconds', () => {
  expect(capacityOf(10, 300, 500)).toEqual({ perSecond: 20, roundMs: 15_000 });
});

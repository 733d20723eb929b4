import { describe, expect, test } from '@jest/globals';
import { BackOff, backOffMs } from './back-off.ts';

const LIMITS = { firstMs: 50, longestMs: 1000 };

describe('a back-off', () => {
  test('doubles with each failure up to its bound', () => {
    expect([1, 2, 3, 5, 6, 7, 2000].map((failures) => backOffMs(failures, LIMITS))).toEqual([
      50, 100, 200, 800, 1000, 1000, 1000,
    ]);
  });

  test.each([
    ['half of its step', 0, [25, 50, 100]],
    ['its whole step', 0.999999, [50, 100, 200]],
  ])('waits between half of its step and the whole step: %s', (_, random, waits) => {
    const backOff = new BackOff(LIMITS, () => random);
    expect(waits.map(() => Math.round(backOff.next()))).toEqual(waits);
    expect(backOff.failures).toBe(3);
  });

  test('begins again after a success', () => {
    const backOff = new BackOff(LIMITS, () => 0);
    backOff.next();
    backOff.next();
    backOff.reset();
    expect([backOff.failures, backOff.next()]).toEqual([0, 25]);
  });
});

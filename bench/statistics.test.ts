import { describe, expect, test } from '@jest/globals';
import { summarise } from './statistics.ts';

describe('a summary', () => {
  test.each([
    ['of one run has the values of that run', [7], { median: 7, p90: 7, runs: 1 }],
    ['does not depend on the order', [3, 1, 2], { median: 2, p90: 2.8, runs: 3 }],
    [
      'of an even number of runs has the mean of the two middle values as its median',
      [1, 2, 3, 10],
      { median: 2.5, p90: 7.9, runs: 4 },
    ],
  ])('%s', (_sentence, samples, expected) => {
    const summary = summarise(samples);
    expect(summary.runs).toBe(expected.runs);
    expect(summary.median).toBeCloseTo(expected.median);
    expect(summary.p90).toBeCloseTo(expected.p90);
  });
});

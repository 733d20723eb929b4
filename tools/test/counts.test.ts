import { describe, expect, test } from '@jest/globals';
import { countGo, countJest, oneIf, sum } from './counts.ts';

const jest = (facts: object): string =>
  JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, ...facts });
const line = (Action: string, Test?: string): string => JSON.stringify({ Action, Package: 'p', Test });

describe('jest', () => {
  test.each([
    ['all passed', jest({ numPassedTests: 3 }), 0, { passed: 3, failed: 0 }],
    ['some failed', jest({ numPassedTests: 2, numFailedTests: 1 }), 1, { passed: 2, failed: 1 }],
    [
      'a suite that could not run fails',
      jest({ numPassedTests: 2, numRuntimeErrorTestSuites: 1 }),
      1,
      { passed: 2, failed: 1 },
    ],
    ['no test at all fails', jest({}), 0, { passed: 0, failed: 1 }],
    ['a bad exit without a failed test fails', jest({ numPassedTests: 2 }), 1, { passed: 2, failed: 1 }],
    ['no report fails', undefined, 0, { passed: 0, failed: 1 }],
    ['a broken report fails', '{"numPassedTests":', 0, { passed: 0, failed: 1 }],
  ])('%s', (_, report, code, counts) => {
    expect(countJest(report, code)).toEqual(counts);
  });
});

describe('go', () => {
  test.each([
    [
      'tests and subtests count',
      [line('run', 'A'), line('pass', 'A/x'), line('pass', 'A'), line('pass')],
      0,
      { passed: 2, failed: 0 },
    ],
    ['a failed test', [line('fail', 'A'), line('pass', 'B'), line('fail')], 1, { passed: 1, failed: 1 }],
    [
      'a package that does not build fails',
      ['# p', 'p.go:1: bad', line('fail')],
      1,
      { passed: 0, failed: 1 },
    ],
    ['no test at all fails', [line('skip')], 0, { passed: 0, failed: 1 }],
  ])('%s', (_, lines, code, counts) => {
    expect(countGo(lines, code)).toEqual(counts);
  });
});

test('gates add up', () => {
  expect(sum([oneIf(true), oneIf(false), { passed: 5, failed: 2 }])).toEqual({ passed: 6, failed: 3 });
});

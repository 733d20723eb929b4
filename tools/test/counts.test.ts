import { describe, expect, test } from '@jest/globals';
import { countGo, countJest, oneIf, sum } from './counts.ts';

const jest = (facts: object): string =>
  JSON.stringify({ numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, ...facts });
const line = (Action: string, Test?: string): string => JSON.stringify({ Action, Package: 'p', Test });

describe('the counts of jest', () => {
  test.each([
    ['include passed tests', jest({ numPassedTests: 3 }), 0, { passed: 3, failed: 0 }],
    ['include failed tests', jest({ numPassedTests: 2, numFailedTests: 1 }), 1, { passed: 2, failed: 1 }],
    [
      'fail for a suite that could not run',
      jest({ numPassedTests: 2, numRuntimeErrorTestSuites: 1 }),
      1,
      { passed: 2, failed: 1 },
    ],
    ['fail without any test', jest({}), 0, { passed: 0, failed: 1 }],
    ['fail for an exit code without a failed test', jest({ numPassedTests: 2 }), 1, { passed: 2, failed: 1 }],
    ['fail without a report', undefined, 0, { passed: 0, failed: 1 }],
    ['fail for an invalid report', '{"numPassedTests":', 0, { passed: 0, failed: 1 }],
  ])('%s', (_, report, code, counts) => {
    expect(countJest(report, code)).toMatchObject(counts);
  });
});

describe('the failures of jest', () => {
  const failed = {
    status: 'failed',
    fullName: 'a port is free',
    failureMessages: ['Error: 2 > 1\n\n    at a.ts:1'],
  };
  const suite = { name: 'a.test.ts', status: 'failed', message: 'all of it', assertionResults: [failed] };
  const broken = { name: 'b.test.ts', status: 'failed', message: 'cannot find c.ts', assertionResults: [] };

  test.each([
    [
      'name the file and the test, with the reason',
      suite,
      ['a.test.ts › a port is free\n    Error: 2 > 1\n        at a.ts:1'],
    ],
    ['name a file that could not run', broken, ['b.test.ts\n    cannot find c.ts']],
    [
      'leave passed tests out',
      { ...suite, status: 'passed', assertionResults: [{ ...failed, status: 'passed' }] },
      [],
    ],
  ])('%s', (_, result, failures) => {
    expect(countJest(jest({ numFailedTests: 1, testResults: [result] }), 1).failures).toEqual(failures);
  });

  test('show the beginning of a long reason', () => {
    const long = { ...broken, message: Array.from({ length: 40 }, (_, n) => `line ${n}`).join('\n') };
    const [failure] = countJest(jest({ testResults: [long] }), 1).failures ?? [];
    expect(failure?.split('\n')).toHaveLength(13);
  });
});

describe('the counts of go test', () => {
  test.each([
    [
      'include tests and subtests',
      [line('run', 'A'), line('pass', 'A/x'), line('pass', 'A'), line('pass')],
      0,
      { passed: 2, failed: 0 },
    ],
    [
      'include failed tests',
      [line('fail', 'A'), line('pass', 'B'), line('fail')],
      1,
      { passed: 1, failed: 1 },
    ],
    [
      'fail for a package that does not compile',
      ['# p', 'p.go:1: bad', line('fail')],
      1,
      { passed: 0, failed: 1 },
    ],
    ['fail without any test', [line('skip')], 0, { passed: 0, failed: 1 }],
  ])('%s', (_, lines, code, counts) => {
    expect(countGo(lines, code)).toEqual(counts);
  });
});

test('the counts of gates add up', () => {
  const failures = ['a.test.ts'];
  expect(sum([oneIf(true), oneIf(false), { passed: 5, failed: 2, failures }])).toEqual({
    passed: 6,
    failed: 3,
    failures,
  });
});

import { describe, expect, test } from '@jest/globals';
import { countAttempt, countAttempts, type FailedAttempts } from './throttle.ts';

const failures = (count: number, agoMs: number): FailedAttempts => ({ count, lastAt: 1_000_000 - agoMs });

describe('failed sign-in attempts', () => {
  const cases: Record<
    string,
    [kind: 'account' | 'address', previous: FailedAttempts | undefined, wait: number]
  > = {
    'do not delay the first attempt': ['account', undefined, 0],
    'do not delay the tenth attempt': ['account', failures(9, 0), 0],
    'delay the eleventh attempt by a second': ['account', failures(10, 0), 1000],
    'delay less as time passes': ['account', failures(10, 400), 600],
    'double the delay each time': ['account', failures(13, 0), 8000],
    'delay an account by a minute at most': ['account', failures(1000, 0), 60_000],
    'allow the next attempt after the delay': ['account', failures(1000, 60_000), 0],
    'do not delay the hundredth attempt from an address': ['address', failures(99, 0), 0],
    'delay an address by five minutes at most': ['address', failures(1000, 0), 300_000],
  };
  test.each(Object.entries(cases))('%s', (_name, [kind, previous, wait]) => {
    const attempt = countAttempt(kind, previous, 1_000_000);
    expect(attempt.answer === 'wait' ? attempt.milliseconds : 0).toBe(wait);
  });

  test('count as failed from their start, and are forgotten after fifteen minutes', () => {
    expect(countAttempt('account', failures(3, 1), 1_000_000)).toEqual({
      answer: 'go',
      failures: { count: 4, lastAt: 1_000_000 },
    });
    expect(countAttempt('account', failures(50, 15 * 60_000), 1_000_000)).toMatchObject({
      failures: { count: 1 },
    });
  });

  test('with several keys wait for the longest of their delays, and count for none while they wait', () => {
    const free = { kind: 'address' as const, failures: failures(3, 1) };
    const account = (count: number) => ({ kind: 'account' as const, failures: failures(count, 0) });
    expect(countAttempts([account(10), free, account(11)], 1_000_000)).toEqual({
      answer: 'wait',
      milliseconds: 2000,
    });
    expect(countAttempts([account(1), free], 1_000_000)).toEqual({
      answer: 'go',
      failures: [
        { count: 2, lastAt: 1_000_000 },
        { count: 4, lastAt: 1_000_000 },
      ],
    });
  });
});

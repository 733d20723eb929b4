import { describe, expect, test } from '@jest/globals';
import { countAttempt, countAttempts, type FailedAttempts } from './throttle.ts';

const after = (count: number, ago: number): FailedAttempts => ({ count, lastAt: 1_000_000 - ago });

describe('attempts to sign in', () => {
  const cases: Record<
    string,
    [kind: 'account' | 'address', known: FailedAttempts | undefined, wait: number]
  > = {
    'the first goes': ['account', undefined, 0],
    'ten failures are free': ['account', after(9, 0), 0],
    'then one waits a second': ['account', after(10, 0), 1000],
    'less what has passed': ['account', after(10, 400), 600],
    'twice as long each time': ['account', after(13, 0), 8000],
    'never longer than a minute for an account': ['account', after(1000, 0), 60_000],
    'and then it goes': ['account', after(1000, 60_000), 0],
    'an address has a hundred free': ['address', after(99, 0), 0],
    'and waits up to five minutes': ['address', after(1000, 0), 300_000],
  };
  test.each(Object.entries(cases))('%s', (_name, [kind, known, wait]) => {
    const attempt = countAttempt(kind, known, 1_000_000);
    expect(attempt.answer === 'wait' ? attempt.milliseconds : 0).toBe(wait);
  });

  test('are counted as failed at once, and forgotten after a quarter of an hour', () => {
    expect(countAttempt('account', after(3, 1), 1_000_000)).toEqual({
      answer: 'go',
      failures: { count: 4, lastAt: 1_000_000 },
    });
    expect(countAttempt('account', after(50, 15 * 60_000), 1_000_000)).toMatchObject({
      failures: { count: 1 },
    });
  });

  test('that count for several keys wait for the slowest, and count for none meanwhile', () => {
    const free = { kind: 'address' as const, failures: after(3, 1) };
    const account = (count: number) => ({ kind: 'account' as const, failures: after(count, 0) });
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

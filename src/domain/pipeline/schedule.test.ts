import { describe, expect, test } from '@jest/globals';
import { parseGoDuration } from '#domain/language/duration.ts';
import { explainBadCron } from './cron-expression.ts';
import { parseSchedule } from './schedule.ts';

/* These are the results of robfig/cron v3.0.1, the parser of Kubernetes' CronJobs. */
describe('a cron expression', () => {
  test.each([
    '* * * * *',
    '*/5 * * * *',
    '0 3 * * 1-5',
    '0,30 8-18/2 1,15 JAN,jul MON-fri',
    '? ? ? ? ?',
    '5/10 * * * *',
    '00 003 * * 0',
    '+3 * * * *',
    ', * * * *',
    ',5,,6 * * * *',
    '*-5 * * * *',
    '*-*-* * * * *',
    '?-9/2 * * * *',
    '*/99 * * * *',
    '  0\t0\u00a01  1 *  ',
    '0 0 31 2 *',
    '@hourly',
    '@daily',
    '@midnight',
    '@weekly',
    '@monthly',
    '@yearly',
    '@annually',
  ])('is valid if Kubernetes accepts it: %j', (expression) => {
    expect(explainBadCron(expression)).toBeUndefined();
  });

  test.each([
    ['', 'it has 0 fields'],
    ['* * * *', 'it has 4 fields'],
    ['* * * * * *', 'it has 6 fields'],
    ['*\ufeff* * * *', 'it has 4 fields'],
    ['60 * * * *', 'minute: "60" is not between 0 and 59'],
    ['* 24 * * *', 'hour: "24" is not between 0 and 23'],
    ['* * 0 * *', 'day of month: "0" is not between 1 and 31'],
    ['* * * 13 *', 'month: "13" is not between 1 and 12'],
    ['* * * * 7', 'day of week: "7" is not between 0 and 6'],
    ['* * * * sat-sun', 'day of week: "sat-sun" runs backwards'],
    ['mon * * * *', 'minute: "mon" is not a number, name or range'],
    ['1-2-3 * * * *', 'minute: "1-2-3" has more than one -'],
    ['1/2/3 * * * *', 'minute: "1/2/3" has more than one /'],
    ['*/0 * * * *', 'minute: "*/0" has a step of 0'],
    ['*/ * * * *', 'is not a number'],
    ['-1 * * * *', 'is not a number'],
    ['1.5 * * * *', 'is not a number'],
    ['99999999999999999999 * * * *', 'is not a number'],
    ['* * L * *', 'is not a number'],
    ['@Hourly', 'is not one of'],
    ['@reboot', 'is not one of'],
    [' @hourly', 'it has 1 field,'],
    ['TZ=UTC 0 0 * * *', 'time zone'],
    ['CRON_TZ=UTC 0 0 * * *', 'time zone'],
  ])('is refused: %j', (expression, reason) => {
    expect(explainBadCron(expression)).toContain(reason);
  });
});

test.each([
  ['0', 0],
  ['30s', 30],
  ['1h30m', 5400],
  ['1.5h', 5400],
  ['.5m', 30],
  ['1.m', 60],
  ['-1m', -60],
  ['+1m', 60],
  ['1h1s1h', 7201],
  ['100ms', 0.1],
  ['1000000µs', 1],
  ['2562047h', 9223369200],
  ['2562048h', undefined],
  ['', undefined],
  ['+', undefined],
  ['5', undefined],
  ['1d', undefined],
  ['.s', undefined],
  ['1 h', undefined],
  ['1h ', undefined],
  ['1e3s', undefined],
])('the Go duration %j is %p seconds', (text, seconds) => {
  expect(parseGoDuration(text)).toBe(seconds);
});

test('a long invalid duration is refused without delay', () => {
  const start = performance.now();
  expect(parseGoDuration(`${'11m'.repeat(10_000)}x`)).toBeUndefined();
  expect(performance.now() - start).toBeLessThan(1000);
});

test.each([
  ['@every 10s', { schedule: { kind: 'every', seconds: 10 } }],
  ['@every  90.9s', { schedule: { kind: 'every', seconds: 90 } }],
  ['*/5 * * * *', { schedule: { kind: 'cron', expression: '*/5 * * * *' } }],
  ['@every 9.999s', { code: 'schedule-too-short' }],
  ['@every 0', { code: 'schedule-too-short' }],
  ['@every', { code: 'invalid-schedule' }],
  ['@every 1d', { code: 'invalid-schedule', help: 'Write "@every 24h": hours are the longest unit.' }],
  ['@every day', { code: 'invalid-schedule' }],
  ['5m', { code: 'invalid-schedule', help: 'Write "@every 5m".' }],
])('the check_interval %j becomes a schedule, or the code of an error', (text, expected) => {
  expect(parseSchedule(text)).toMatchObject(expected);
});

import { expect, test } from '@jest/globals';
import { defined } from '#defined';
import { cronNext } from './cron-next.ts';

const next = (expression: string, after: string, timeZone?: string): string | undefined => {
  const time = cronNext({ kind: 'cron', expression, ...defined({ timeZone }) }, Date.parse(after));
  return time === undefined ? undefined : new Date(time).toISOString();
};

test.each([
  ['*/15 * * * *', '2026-11-21T10:00:00Z', '2026-11-21T10:15:00.000Z'],
  ['*/15 * * * *', '2026-11-21T10:14:59.999Z', '2026-11-21T10:15:00.000Z'],
  ['0 3 * * *', '2026-11-21T10:00:00Z', '2026-11-22T03:00:00.000Z'],
  // If an expression has a day of the month and a day of the week, one of the two must match.
  ['0 0 13 * 5', '2026-11-21T10:00:00Z', '2026-11-27T00:00:00.000Z'],
  ['0 0 29 2 *', '2026-11-21T10:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['30 4 * JAN-MAR MON', '2026-11-21T10:00:00Z', '2027-01-04T04:30:00.000Z'],
  ['@hourly', '2026-11-21T10:00:00Z', '2026-11-21T11:00:00.000Z'],
  ['@midnight', '2026-11-21T10:00:00Z', '2026-11-22T00:00:00.000Z'],
  ['@weekly', '2026-11-21T10:00:00Z', '2026-11-22T00:00:00.000Z'],
  ['@yearly', '2026-11-21T10:00:00Z', '2027-01-01T00:00:00.000Z'],
])('the next time of %s after %s is %s', (expression, after, expected) => {
  expect(next(expression, after)).toBe(expected);
});

test('an expression for a day that never comes has no next time', () => {
  expect(next('0 0 31 2 *', '2026-11-21T10:00:00Z')).toBeUndefined();
});

test.each([
  ['0 9 * * *', 'Europe/Berlin', '2026-07-01T00:00:00Z', '2026-07-01T07:00:00.000Z'],
  ['0 9 * * *', 'Europe/Berlin', '2026-12-01T00:00:00Z', '2026-12-01T08:00:00.000Z'],
  ['@daily', 'America/New_York', '2026-11-21T10:00:00Z', '2026-11-22T05:00:00.000Z'],
])('the next time of %s in %s after %s is %s', (expression, timeZone, after, expected) => {
  expect(next(expression, after, timeZone)).toBe(expected);
});

import { expect, test } from '@jest/globals';
import { formatCheckDate } from './start-checks.ts';

test.each([
  ['2026-11-21T11:15:29Z', 'Sat Nov 21 11:15:29 UTC 2026'],
  ['2026-03-05T00:00:07Z', 'Thu Mar  5 00:00:07 UTC 2026'],
])('%s is printed as the program date does: %s', (at, text) => {
  expect(formatCheckDate(new Date(at))).toBe(text);
});

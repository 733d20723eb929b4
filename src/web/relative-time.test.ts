import { expect, test } from '@jest/globals';
import { relativeTime } from './relative-time.ts';

const NOW = new Date('2026-11-26T12:00:00Z');

test.each([
  ['2026-11-26T11:59:50Z', 'just now'],
  ['2026-11-26T12:00:10Z', 'in a moment'],
  ['2026-11-26T11:59:10Z', '1 minute ago'],
  ['2026-11-26T11:57:00Z', '3 minutes ago'],
  ['2026-11-26T10:00:00Z', '2 hours ago'],
  ['2026-11-25T12:00:00Z', 'yesterday'],
  ['2026-11-27T12:00:00Z', 'tomorrow'],
  ['2026-11-12T12:00:00Z', '2 weeks ago'],
  ['2026-09-20T12:00:00Z', '2 months ago'],
  ['2024-11-20T12:00:00Z', '2 years ago'],
])('%s is %s', (at, words) => {
  expect(relativeTime(new Date(at), NOW)).toBe(words);
});

import { expect, test } from '@jest/globals';
import { formatBytes, secondsInWords } from './amounts.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [64 * 1024, '64 KiB'],
  [5 * 1024 ** 2, '5 MiB'],
  [3.25 * 1024 ** 3, '3.3 GiB'],
  [2000 * 1024 ** 4, '2000 TiB'],
])('%d bytes are written as %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 s'],
  [45, '45 s'],
  [5400, '1 h 30 min'],
  [3661, '1 h 1 min 1 s'],
])('%d seconds are written as %s', (seconds, text) => {
  expect(secondsInWords(seconds)).toBe(text);
});

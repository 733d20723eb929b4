import { expect, test } from '@jest/globals';
import { formatBytes } from './caches-page.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KiB'],
  [3.5 * 1024 ** 2, '3.5 MiB'],
  [2 * 1024 ** 5, '2048.0 TiB'],
])('%d bytes are %s', (bytes, size) => {
  expect(formatBytes(bytes)).toBe(size);
});

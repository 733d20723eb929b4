import { expect, test } from '@jest/globals';
import { bytesOf } from './quantity.ts';

test.each([
  ['1048576', 1_048_576],
  ['1Gi', 1024 ** 3],
  ['1.5Gi', 1.5 * 1024 ** 3],
  ['512Mi', 512 * 1024 ** 2],
  ['10k', 10_000],
  ['2T', 2e12],
  ['0', 0],
  ['1gi', undefined],
  ['1 Gi', undefined],
  ['-1', undefined],
  ['1m', undefined],
  ['', undefined],
])('%s is %s bytes', (quantity, bytes) => {
  expect(bytesOf(quantity)).toBe(bytes);
});

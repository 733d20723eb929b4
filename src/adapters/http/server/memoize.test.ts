import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { memoize } from './memoize.ts';

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function countingMemoize(maxEntries: number) {
  const computedKeys: string[] = [];
  const findValue = memoize(maxEntries, (key) => {
    computedKeys.push(key);
    return key.toUpperCase();
  });
  return { computedKeys, findValue };
}

test('a value is computed once per key', () => {
  const { computedKeys, findValue } = countingMemoize(2);
  expect(['a', 'b', 'a', 'b'].map(findValue)).toEqual(['A', 'B', 'A', 'B']);
  expect(computedKeys).toEqual(['a', 'b']);
});

test('a key in constant use stays cached, however many others come', () => {
  const { computedKeys, findValue } = countingMemoize(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f']) findValue(key);
  expect(computedKeys).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test.each([
  [
    'is removed after twice the cache size of other keys',
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'c', 'd', 'e', 'a'],
  ],
  ['stays after fewer other keys', ['a', 'b', 'c'], ['a', 'b', 'c']],
])('an unused key: %s', (_, keys, computedKeys) => {
  const memoized = countingMemoize(2);
  for (const key of [...keys, 'a']) memoized.findValue(key);
  expect(memoized.computedKeys).toEqual(computedKeys);
});

test('the cache does not retain the string that a key was sliced from', () => {
  const findValue = memoize(200, () => 'made');
  const before = heapUsed();
  for (let count = 0; count < 200; count += 1) {
    const url = Buffer.alloc(512 * 1024, `${count}-token`).toString('latin1');
    findValue(url.slice(0, 43));
  }
  expect(heapUsed() - before).toBeLessThan(50 * 1024 * 1024);
});

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { memoize } from './memoize.ts';

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function memoized(maxEntries: number) {
  const made: string[] = [];
  const of = memoize(maxEntries, (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  return { made, of };
}

test('a value is computed once per key', () => {
  const { made, of } = memoized(2);
  expect(['a', 'b', 'a', 'b'].map(of)).toEqual(['A', 'B', 'A', 'B']);
  expect(made).toEqual(['a', 'b']);
});

test('a key in constant use stays cached, however many others come', () => {
  const { made, of } = memoized(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f']) of(key);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test.each([
  [
    'is removed after twice the cache size of other keys',
    ['a', 'b', 'c', 'd', 'e'],
    ['a', 'b', 'c', 'd', 'e', 'a'],
  ],
  ['stays after fewer other keys', ['a', 'b', 'c'], ['a', 'b', 'c']],
])('an unused key: %s', (_, keys, made) => {
  const one = memoized(2);
  for (const key of [...keys, 'a']) one.of(key);
  expect(one.made).toEqual(made);
});

test('the cache does not retain the string that a key was sliced from', () => {
  const of = memoize(200, () => 'made');
  const before = heapUsed();
  for (let count = 0; count < 200; count += 1) {
    const url = Buffer.alloc(512 * 1024, `${count}-token`).toString('latin1');
    of(url.slice(0, 43));
  }
  expect(heapUsed() - before).toBeLessThan(50 * 1024 * 1024);
});

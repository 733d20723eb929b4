import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { memoize } from './memoize.ts';

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

function remembering(most: number) {
  const made: string[] = [];
  const of = memoize(most, (key) => {
    made.push(key);
    return key.toUpperCase();
  });
  return { made, of };
}

test('what is asked for again is made once', () => {
  const { made, of } = remembering(2);
  expect(['a', 'b', 'a', 'b'].map(of)).toEqual(['A', 'B', 'A', 'B']);
  expect(made).toEqual(['a', 'b']);
});

test('what is asked for all the time stays, however many others come', () => {
  const { made, of } = remembering(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'd', 'a', 'e', 'a', 'f']) of(key);
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'f']);
});

test.each([
  ['as many others as are kept twice over came', ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e', 'a']],
  ['fewer came', ['a', 'b', 'c'], ['a', 'b', 'c']],
])('what nobody asked for while %s', (_, keys, made) => {
  const one = remembering(2);
  for (const key of [...keys, 'a']) one.of(key);
  expect(one.made).toEqual(made);
});

test('of the text that a key is a piece of, nothing stays', () => {
  const of = memoize(200, () => 'made');
  const before = heapUsed();
  for (let count = 0; count < 200; count += 1) {
    const url = Buffer.alloc(512 * 1024, `${count}-token`).toString('latin1');
    of(url.slice(0, 43));
  }
  expect(heapUsed() - before).toBeLessThan(50 * 1024 * 1024);
});

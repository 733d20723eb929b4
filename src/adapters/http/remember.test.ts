import { expect, test } from '@jest/globals';
import { remember } from './remember.ts';

function remembering(most: number) {
  const made: string[] = [];
  const of = remember(most, (key) => {
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

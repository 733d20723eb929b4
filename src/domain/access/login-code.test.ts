import { expect, test } from '@jest/globals';
import { makeLoginCode, readLoginCode } from './login-code.ts';

/** Draws the largest number below the limit. */
const largest = (below: number): number => below - 1;

test('a code has eight letters, in two groups', () => {
  let next = 0;
  expect(makeLoginCode(() => next++)).toBe('BCDF-GHJK');
  expect(makeLoginCode(largest)).toBe('ZZZZ-ZZZZ');
});

test.each([
  ['BCDF-GHJK', 'BCDF-GHJK'],
  [' bcdf ghjk ', 'BCDF-GHJK'],
  ['bcdfghjk', 'BCDF-GHJK'],
  ['BCDF-GHJ', undefined],
  ['BCDF-GHJKL', undefined],
  ['ABCD-EFGH', undefined],
  ['BCDF-GHJ1', undefined],
  ['', undefined],
])('%j is read as %p', (typed, code) => {
  expect(readLoginCode(typed)).toBe(code);
});

import { expect, test } from '@jest/globals';
import { countOf, durationInWords } from './words.ts';

test.each([
  [0, '0 jobs'],
  [1, '1 job'],
  [2, '2 jobs'],
])('%d counts as %s', (number, words) => {
  expect(countOf(number, 'job')).toBe(words);
});

test.each([
  [-5, '0 s'],
  [499, '0 s'],
  [59_499, '59 s'],
  [59_500, '1 min 0 s'],
  [184_000, '3 min 4 s'],
  [7_500_000, '2 h 5 min'],
])('%d milliseconds are %s', (milliseconds, words) => {
  expect(durationInWords(milliseconds)).toBe(words);
});

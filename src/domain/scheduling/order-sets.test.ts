import { expect, test } from '@jest/globals';
import { orderSets } from './order-sets.ts';

const ordered = (newest: number[], ...sets: number[][]): number[][] =>
  orderSets(
    sets.map((versions) => ({ versions })),
    newest,
  ).map(({ versions }) => versions);

test.each<[string, { newest: number[]; sets: number[][]; expected: number[][] }]>([
  [
    'the newest set goes last, whichever of its versions triggered first',
    {
      newest: [3, 5],
      sets: [
        [3, 5],
        [3, 4],
      ],
      expected: [
        [3, 4],
        [3, 5],
      ],
    },
  ],
  [
    'the set with the older version goes first, in whichever get it is',
    {
      newest: [9, 8],
      sets: [
        [9, 4],
        [3, 8],
        [9, 8],
      ],
      expected: [
        [3, 8],
        [9, 4],
        [9, 8],
      ],
    },
  ],
  [
    'a version that all sets share does not affect their order',
    {
      newest: [5, 1, 6],
      sets: [
        [5, 1, 4],
        [3, 1, 6],
      ],
      expected: [
        [3, 1, 6],
        [5, 1, 4],
      ],
    },
  ],
  [
    'the newest set goes last although another one has a newer version of a later get',
    {
      newest: [10, 1],
      sets: [
        [10, 1],
        [2, 9],
      ],
      expected: [
        [2, 9],
        [10, 1],
      ],
    },
  ],
])('%s', (_sentence, { newest, sets, expected }) => {
  expect(ordered(newest, ...sets)).toEqual(expected);
});

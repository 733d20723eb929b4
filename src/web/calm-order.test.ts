import { expect, test } from '@jest/globals';
import { calmOrder, isSameOrder } from './calm-order.ts';

test.each<[string, { shown: number[]; matching: number[]; existing: number[] }, number[]]>([
  ['is the sorted order at first', { shown: [], matching: [3, 1], existing: [1, 2, 3] }, [3, 1]],
  ['stays if the sorted order changes', { shown: [3, 1], matching: [1, 3], existing: [1, 3] }, [3, 1]],
  ['keeps an entry that no longer matches', { shown: [3, 1], matching: [1], existing: [1, 3] }, [3, 1]],
  ['has new matches at its end', { shown: [3, 1], matching: [2, 3, 1], existing: [1, 2, 3] }, [3, 1, 2]],
  ['drops an entry that was deleted', { shown: [3, 1], matching: [1], existing: [1] }, [1]],
])('the calm order %s', (_name, { shown, matching, existing }, expected) => {
  expect(calmOrder(shown, matching, new Set(existing))).toEqual(expected);
});

test('two orders are the same if they have the same entries in the same places', () => {
  expect([isSameOrder([1, 2], [1, 2]), isSameOrder([1, 2], [2, 1]), isSameOrder([1], [1, 2])]).toEqual([
    true,
    false,
    false,
  ]);
});

import { describe, expect, test } from '@jest/globals';
import { cutPage, pageSize } from './page.ts';

describe('a page', () => {
  test('a page has at least one row and at most 200', () => {
    expect([-1, 0, 1, 200, 5000].map((limit) => pageSize({ limit }))).toEqual([1, 1, 1, 200, 200]);
  });

  test('a page of rows read newest first stays in that order', () => {
    expect(cutPage([9, 8, 7], { limit: 2 })).toEqual({ rows: [9, 8], hasMore: true });
    expect(cutPage([9, 8], { limit: 2, before: 10 })).toEqual({ rows: [9, 8], hasMore: false });
  });

  test('a page of rows that were read oldest first is turned around: the newest is first', () => {
    expect(cutPage([4, 5, 6], { limit: 2, after: 3 })).toEqual({ rows: [5, 4], hasMore: true });
  });
});

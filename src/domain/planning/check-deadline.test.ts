import { expect, test } from '@jest/globals';
import { checkDeadlineSeconds } from './check-deadline.ts';

test.each([
  [0, 15],
  [1, 15],
  [4, 15],
  [5, 20],
  [40, 60],
  [88, 120],
  [1000, 120],
])('the deadline of a Pod with %d checks is %d minutes', (checks, minutes) => {
  expect(checkDeadlineSeconds(checks)).toBe(minutes * 60);
});

import { expect, test } from '@jest/globals';
import { MAX_REFUSED_CALLS, RefusedCalls } from './refused-calls.ts';

const POD = '10.0.0.7';

test('only refused calls count towards the limit', () => {
  const calls = new RefusedCalls(() => 0);
  for (let count = 0; count < 10 * MAX_REFUSED_CALLS; count += 1) calls.begin(POD)(false);
  for (let count = 0; count < MAX_REFUSED_CALLS; count += 1) calls.begin(POD)(true);
  expect(() => calls.begin(POD)).toThrow('Too many calls from this address were refused');
  expect(() => calls.begin('10.0.0.8')).not.toThrow();
});

test('one call is allowed again every two seconds', () => {
  let now = 0;
  const calls = new RefusedCalls(() => now);
  for (let count = 0; count < MAX_REFUSED_CALLS; count += 1) calls.begin(POD)(true);
  now += 1999;
  expect(() => calls.begin(POD)).toThrow();
  now += 1;
  calls.begin(POD)(true);
  expect(() => calls.begin(POD)).toThrow();
});

test('a call with a weight counts as that many refused calls until it is settled', () => {
  const calls = new RefusedCalls(() => 0);
  const settle = calls.begin(POD, MAX_REFUSED_CALLS);
  expect(() => calls.begin(POD)).toThrow();
  settle(true);
  expect(() => calls.begin(POD, MAX_REFUSED_CALLS)).toThrow();
  expect(() => calls.begin(POD, MAX_REFUSED_CALLS - 1)).not.toThrow();
});

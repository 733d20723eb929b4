import { beforeAll, expect, test } from '@jest/globals';

beforeAll(() => {
  Error.stackTraceLimit = Infinity;
});

test('an error in a test records ten calls, whatever a module of the same worker set', () => {
  const fail = (depth: number): Error => (depth === 0 ? new Error('deep') : fail(depth - 1));
  expect(fail(50).stack?.match(/^ +at /gm)).toHaveLength(10);
});

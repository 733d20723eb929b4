import { beforeAll, expect, test } from '@jest/globals';

beforeAll(() => {
  Error.stackTraceLimit = Infinity;
});

test('the stack of an error in a test has ten calls, whatever limit a module of the worker has set', () => {
  const fail = (depth: number): Error => (depth === 0 ? new Error('deep') : fail(depth - 1));
  expect(fail(50).stack?.match(/^ +at /gm)).toHaveLength(10);
});

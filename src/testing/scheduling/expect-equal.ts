import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';

/**
 * `expect(actual).toEqual(expected)` for the loops of property tests. An expectation makes an error and all its
 * matchers each time it is called, which took a quarter of the time of the scheduler's random tests; so this one
 * is made only where the values differ.
 */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

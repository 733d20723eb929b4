import { isDeepStrictEqual } from 'node:util';
import { expect } from '@jest/globals';

/**
 * `expect(actual).toEqual(expected)` for the loops of property tests. Each call of `expect` makes an error
 * and all matchers, which is slow, so this function calls `expect` only if the values differ.
 */
export function expectEqual(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected);
}

import { expect, test } from '@jest/globals';
import { judgeLogs } from './judge-logs.ts';

test.each([
  [0, 100, 'fine'],
  [79, 100, 'fine'],
  [80, 100, 'near'],
  [100, 100, 'near'],
  [101, 100, 'full'],
  [101, undefined, 'fine'],
] as const)('logs of %d bytes with a limit of %s are %s', (bytes, limit, fill) => {
  expect(judgeLogs(bytes, limit)).toBe(fill);
});

import { expect, test } from '@jest/globals';
import { staleCaches } from './stale-cache-volumes.ts';

const cache = { cache: 1, namespace: 'blue', claim: 'cache-a-1', wanted: true, used: false };
const claim = { namespace: 'blue', name: 'cache-a-1' };

test('a cache that its pipeline still has keeps its claim', () => {
  expect(staleCaches([cache], [claim])).toEqual({ caches: [], claims: [] });
});

test('a cache that its pipeline no longer has is removed with its claim', () => {
  expect(staleCaches([{ ...cache, wanted: false }], [claim])).toEqual({ caches: [1], claims: [claim] });
});

test('a cache that a build uses is kept, even if its pipeline no longer has it', () => {
  const used = { ...cache, wanted: false, used: true };
  expect(staleCaches([used], [claim])).toEqual({ caches: [], claims: [] });
});

test.each([
  ['of an earlier generation', { ...claim, name: 'cache-a-0' }],
  ['in another namespace', { ...claim, namespace: 'green' }],
])('a claim %s is removed', (_name, other) => {
  expect(staleCaches([cache], [claim, other]).claims).toEqual([other]);
});

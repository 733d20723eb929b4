import { expect, test } from '@jest/globals';
import {
  decideCaches,
  MAX_VOLUMES_OF_TEAM,
  type CacheFacts,
  type CacheState,
} from './decide-cache-volumes.ts';

const now = new Date('2026-03-01T12:00:00Z');
const state: CacheState = { cache: 1, generation: 1, resource: 'git.app', hasVolume: false };
const usualFacts = { fork: false, waited: false, volumes: 0 };
const decide = (more: Partial<CacheState>, facts: Partial<CacheFacts> = {}) =>
  decideCaches({ caches: [{ ...state, ...more }], ...usualFacts, ...facts }, now)[0]?.leftOut;

test('a cache that nothing else uses is mounted', () => {
  expect(decide({})).toBeUndefined();
});

test.each([
  ['a build uses', { usedBy: { job: 'unit', number: '7.1' } }, 'Busy', 'build 7.1 of job unit uses it.'],
  ['a check uses', { usedBy: 'check' as const }, 'Busy', 'a check uses it.'],
  [
    'kept a Pod waiting 9 minutes ago',
    { failedAt: new Date('2026-03-01T11:51:00Z') },
    'Unavailable',
    'its volume was not ready in time at 2026-03-01 11:51 UTC; it is used again 10 minutes later.',
  ],
])('a cache that %s is left out, with the reason', (_name, more, reason, message) => {
  expect(decide(more)).toEqual({ reason, message });
});

test('a cache is used again 10 minutes after it kept a Pod waiting', () => {
  expect(decide({ failedAt: new Date('2026-03-01T11:50:00Z') })).toBeUndefined();
});

test.each([
  ['of a pull request from a fork', { fork: true }, 'Fork'],
  ['whose earlier Pod waited for a volume', { waited: true }, 'Waited'],
])('a build %s mounts no cache', (_name, facts, reason) => {
  expect(decide({}, facts)).toMatchObject({ reason });
});

test('one cache that is left out does not affect another', () => {
  const caches = [state, { ...state, cache: 2, resource: 'git.docs', usedBy: 'check' as const }];
  const decided = decideCaches({ caches, ...usualFacts }, now);
  expect(decided.map(({ resource, leftOut }) => [resource, leftOut?.reason])).toEqual([
    ['git.app', undefined],
    ['git.docs', 'Busy'],
  ]);
});

test('a team gets no volume beyond its limit, and keeps those that it has', () => {
  const caches = ['old', 'first', 'second'].map((resource, cache) => ({
    ...state,
    cache,
    resource,
    hasVolume: resource === 'old',
  }));
  const decided = decideCaches({ caches, ...usualFacts, volumes: MAX_VOLUMES_OF_TEAM - 1 }, now);
  expect(decided.map(({ leftOut }) => leftOut)).toEqual([
    undefined,
    undefined,
    { reason: 'TooMany', message: 'the team has 200 volumes of caches already.' },
  ]);
});

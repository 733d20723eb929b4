import { describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { canonicalText, scopeKeyOf, tellScopeChange, type ScopeKey } from './check-scope.ts';

const list: ResourceType = {
  name: 'list',
  builtIn: false,
  params: ['url', 'token'],
  cache: false,
  check: { runner: 'shell', cmd: 'list' },
};
const OLD = { url: 'https://one', token: makeSecretPlaceholder('token') };

function keyOf(type: Partial<ResourceType>, params: Record<string, string> = OLD): ScopeKey {
  const definition: Pipeline = samplePipeline({
    resourceTypes: [{ ...list, ...type }],
    resources: [resource(`${type.name ?? 'list'}.app`, { params })],
  });
  const key = scopeKeyOf(definition, definition.resources[0]?.name ?? '');
  if (key === undefined) throw new Error('The pipeline has no such resource.');
  return key;
}

const git = { name: 'git', builtIn: true, origin: { source: 'svc://git' } };

describe('a resource has', () => {
  test.each<[string, ScopeKey, ScopeKey, boolean]>([
    ['the same history when nothing changes', keyOf({}), keyOf({}), true],
    ['the same whatever the order of params', keyOf({}), keyOf({}, { token: OLD.token, url: OLD.url }), true],
    [
      'the same when the accepted params stand in another order',
      keyOf({}),
      keyOf({ params: ['token', 'url'] }),
      true,
    ],
    ['the same with another cache', keyOf({}), keyOf({ cache: true }), true],
    ['the same when only the name of the type changes', keyOf({}), keyOf({ name: 'listing' }), true],
    [
      'the same when the text of a fetched type changes but not what it runs',
      keyOf({ origin: { source: 'https://x', digest: 'sha256:1' } }),
      keyOf({ origin: { source: 'https://x', digest: 'sha256:2' } }),
      true,
    ],
    [
      'the same when a release changes the script of a built-in type',
      keyOf(git),
      keyOf({ ...git, check: { runner: 'shell', cmd: 'mended' } }),
      true,
    ],
    ['another with another param', keyOf({}), keyOf({}, { ...OLD, url: 'https://two' }), false],
    [
      'another with another secret, by its name',
      keyOf({}),
      keyOf({}, { ...OLD, token: makeSecretPlaceholder('other') }),
      false,
    ],
    ['another with another check', keyOf({}), keyOf({ check: { runner: 'shell', cmd: 'other' } }), false],
    ['another with another pull', keyOf({}), keyOf({ pull: { runner: 'shell', cmd: 'other' } }), false],
    ['another with another push', keyOf({}), keyOf({ push: { runner: 'shell', cmd: 'other' } }), false],
    [
      'another with another image',
      keyOf({ check: { runner: 'docker', image: 'a', cmd: 'x' } }),
      keyOf({ check: { runner: 'docker', image: 'b', cmd: 'x' } }),
      false,
    ],
    [
      'another when a type of the pipeline takes the place of a built-in one',
      keyOf(git),
      keyOf({ name: 'git' }),
      false,
    ],
  ])('%s', (_, one, other, same) => {
    expect(canonicalText(one) === canonicalText(other)).toBe(same);
  });
});

describe('another history is told', () => {
  test.each<[string, ScopeKey, ScopeKey, string]>([
    [
      'by the params that differ',
      keyOf(git, { branch: 'main' }),
      keyOf(git, { branch: 'release' }),
      'branch main → release',
    ],
    [
      'by what is new and what is gone',
      keyOf(git, { paths: 'a' }),
      keyOf(git, { tag: 'v*' }),
      'paths a → none, tag none → v*',
    ],
    [
      'by a new definition of the type',
      keyOf({}),
      keyOf({ check: { runner: 'shell', cmd: 'other' } }),
      'another definition of its type',
    ],
    [
      'with names of secrets, never with credentials',
      keyOf({}, { url: 'https://me:pw@one/x' }),
      keyOf({}, { url: `https://${makeSecretPlaceholder('user')}/x` }),
      'url https://…@one/x → https://(secret user)/x',
    ],
    [
      'in few words',
      keyOf({}, { a: '1', b: '1', c: '1', d: 'x'.repeat(100) }),
      keyOf({}, {}),
      'a 1 → none, b 1 → none, c 1 → none, 1 more',
    ],
  ])('%s', (_, before, after, text) => {
    expect(tellScopeChange(before, after)).toBe(text);
  });
});

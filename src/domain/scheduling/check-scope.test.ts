import { describe, expect, test } from '@jest/globals';
import type { Pipeline, ResourceType } from '#domain/pipeline/pipeline.ts';
import { makeSecretPlaceholder } from '#domain/pipeline/secret-placeholder.ts';
import { resource, samplePipeline } from '#testing/pipelines/sample-pipeline.ts';
import { canonicalText, describeScopeChange, scopeKeyOf, type ScopeKey } from './check-scope.ts';

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

describe('the check scope of a resource', () => {
  test.each<[string, ScopeKey, ScopeKey, boolean]>([
    ['a resource that does not change keeps its history', keyOf({}), keyOf({}), true],
    [
      'the order of params does not change the history',
      keyOf({}),
      keyOf({}, { token: OLD.token, url: OLD.url }),
      true,
    ],
    [
      'the order of the accepted params does not change the history',
      keyOf({}),
      keyOf({ params: ['token', 'url'] }),
      true,
    ],
    ['a cache does not change the history', keyOf({}), keyOf({ cache: true }), true],
    ['a new name of the type does not change the history', keyOf({}), keyOf({ name: 'listing' }), true],
    [
      'a new text of a fetched type with the same commands does not change the history',
      keyOf({ origin: { source: 'https://x', digest: 'sha256:1' } }),
      keyOf({ origin: { source: 'https://x', digest: 'sha256:2' } }),
      true,
    ],
    [
      'a new script of a built-in type does not change the history',
      keyOf(git),
      keyOf({ ...git, check: { runner: 'shell', cmd: 'mended' } }),
      true,
    ],
    ['a changed param begins a new history', keyOf({}), keyOf({}, { ...OLD, url: 'https://two' }), false],
    [
      'a secret with another name begins a new history',
      keyOf({}),
      keyOf({}, { ...OLD, token: makeSecretPlaceholder('other') }),
      false,
    ],
    [
      'a changed check begins a new history',
      keyOf({}),
      keyOf({ check: { runner: 'shell', cmd: 'other' } }),
      false,
    ],
    [
      'a changed pull begins a new history',
      keyOf({}),
      keyOf({ pull: { runner: 'shell', cmd: 'other' } }),
      false,
    ],
    [
      'a changed push begins a new history',
      keyOf({}),
      keyOf({ push: { runner: 'shell', cmd: 'other' } }),
      false,
    ],
    [
      'a changed image begins a new history',
      keyOf({ check: { runner: 'docker', image: 'a', cmd: 'x' } }),
      keyOf({ check: { runner: 'docker', image: 'b', cmd: 'x' } }),
      false,
    ],
    [
      'a type of the pipeline that replaces a built-in one begins a new history',
      keyOf(git),
      keyOf({ name: 'git' }),
      false,
    ],
  ])('%s', (_, one, other, same) => {
    expect(canonicalText(one) === canonicalText(other)).toBe(same);
  });
});

describe('the message about a new history', () => {
  test.each<[string, ScopeKey, ScopeKey, string]>([
    [
      'the message names the params that differ',
      keyOf(git, { branch: 'main' }),
      keyOf(git, { branch: 'release' }),
      'branch main → release',
    ],
    [
      'the message names params that were added and removed',
      keyOf(git, { paths: 'a' }),
      keyOf(git, { tag: 'v*' }),
      'paths a → none, tag none → v*',
    ],
    [
      'the message names a new definition of the type',
      keyOf({}),
      keyOf({ check: { runner: 'shell', cmd: 'other' } }),
      'another definition of its type',
    ],
    [
      'the message has names of secrets and no credentials',
      keyOf({}, { url: 'https://me:pw@one/x' }),
      keyOf({}, { url: `https://${makeSecretPlaceholder('user')}/x` }),
      'url https://…@one/x → https://(secret user)/x',
    ],
    [
      'the message has no credentials of any length',
      keyOf({}, { url: `https://me:${'p'.repeat(501)}@one/x` }),
      keyOf({}, { url: `https://${'t'.repeat(10_000)}@two/x?mail=a@b` }),
      'url https://…@one/x → https://…@two/x?mail=a@b',
    ],
    [
      'the message has no credentials with special characters',
      keyOf({}, { url: 'https://me:p@ss word@one/x https://two/y https://me:pw@three' }),
      keyOf({}, { url: `https://${makeSecretPlaceholder('user')}:pw@one/x` }),
      'url https://…@one/x https://two/y https://…@three → https://…(secret user)@one/x',
    ],
    [
      'the message has no credentials with slashes',
      keyOf({}, { url: 'https://me:pa/ss@one/x' }),
      keyOf({}, { url: 'https://me:a://b@two/x and https://three/y' }),
      'url https://…@one/x → https://…://…@two/x and https://three/y',
    ],
    [
      'the message has names of secrets in credentials',
      keyOf({}, { url: `https://me:${makeSecretPlaceholder('old')}@one` }),
      keyOf({}, { url: `https://me:${makeSecretPlaceholder('new')}@one` }),
      'url https://…(secret old)@one → https://…(secret new)@one',
    ],
    [
      'the message is short',
      keyOf({}, { a: '1', b: '1', c: '1', d: 'x'.repeat(100) }),
      keyOf({}, {}),
      'a 1 → none, b 1 → none, c 1 → none, 1 more',
    ],
  ])('%s', (_, before, after, text) => {
    expect(describeScopeChange(before, after)).toBe(text);
  });
});

import { describe, expect, test } from '@jest/globals';
import { makeSecretPlaceholder as placeholder } from '#domain/pipeline/secret-placeholder.ts';
import { nextLookups } from './next-lookups.ts';

const vault = {
  name: 'vault',
  builtIn: true,
  origin: { source: 'svc://vault' },
  config: { address: 'https://vault.example', token: placeholder('token') },
};
const file = {
  name: 'file',
  builtIn: true,
  origin: { source: 'svc://file' },
  config: { path: 'tokens.json' },
};
const declared = {
  secretTypes: [vault, file],
  secrets: [
    { name: 'password', type: 'vault', path: `kv/${placeholder('stage')}`, key: 'password' },
    { name: 'token', type: 'file', key: 'vault' },
    { name: 'stage', type: 'file', path: 'stage.env', key: 'STAGE' },
  ],
};

const lookupsOf = (
  names: string[],
  known: Record<string, string> = {},
  missing: Record<string, string> = {},
) =>
  nextLookups(names, declared, {
    values: new Map(Object.entries(known)),
    missing: new Map(Object.entries(missing)),
  });

describe('the next lookups', () => {
  test('of a secret that needs others are the others', () => {
    expect(lookupsOf(['password']).map(({ name, path }) => [name, path])).toEqual([
      ['stage', 'stage.env'],
      ['token', 'tokens.json'],
    ]);
  });

  test('leave out secrets whose values are known', () => {
    expect(lookupsOf(['password'], { stage: 'live' }).map(({ name }) => name)).toEqual(['token']);
  });

  test('contain the values of the secrets that they need', () => {
    expect(lookupsOf(['password'], { stage: 'live', token: 't' })).toEqual([
      {
        name: 'password',
        source: 'vault',
        path: 'kv/live',
        key: 'password',
        config: { address: 'https://vault.example', token: 't' },
      },
    ]);
  });

  test('leave placeholders in a value as they are', () => {
    const [lookup] = lookupsOf(['password'], { stage: placeholder('main/other'), token: 't' });
    expect(lookup?.path).toBe(`kv/${placeholder('main/other')}`);
  });

  test('are none if the values of all names are known', () =>
    expect(lookupsOf(['token'], { token: 't' })).toEqual([]));

  test('of a Secret of the namespace have its name and key', () => {
    expect(lookupsOf(['forge/a/b'])).toEqual([
      { name: 'forge/a/b', source: 'kubernetes', path: 'forge', key: 'a/b', config: {} },
    ]);
  });

  test('of a name that the pipeline does not declare have the source undeclared', () => {
    expect(lookupsOf(['other'])).toMatchObject([{ name: 'other', source: 'undeclared' }]);
  });

  test('are none for a secret that needs a secret without a value', () => {
    expect(lookupsOf(['password'], { stage: 'live' }, { token: 'It is gone.' })).toEqual([]);
  });

  test('end for secrets that need each other', () => {
    const secrets = ['a', 'b'].map((name) => ({
      name,
      type: 'file',
      key: placeholder(name === 'a' ? 'b' : 'a'),
    }));
    expect(
      nextLookups(['a'], { secretTypes: [file], secrets }, { values: new Map(), missing: new Map() }),
    ).toEqual([]);
  });
});

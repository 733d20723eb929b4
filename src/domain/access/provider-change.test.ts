import { describe, expect, test } from '@jest/globals';
import { isOutdated, issuerOf, mayLockOut, providerChange } from './provider-change.ts';

const provider = {
  canonical: 'company',
  type: 'OIDC',
  clientId: 'millrace',
  issuerUrl: 'https://id.example.org',
  enabled: true,
  secretKey: 'company',
  uid: 'a',
  generation: 2,
} as const;

describe('the change that is written for a provider', () => {
  const cases: Record<string, [before: object | undefined, change: ReturnType<typeof providerChange>]> = {
    'is a creation if there was none': [undefined, 'created'],
    'is an update if the definition differs': [{ clientId: 'another' }, 'updated'],
    'is an update if the API may no longer change it': [{ byApi: true }, 'updated'],
    'is an update if the secret has another name': [{ secretKey: 'company_2' }, 'updated'],
    'is only the generation if the definition is equal': [{ generation: 1 }, 'generation'],
    'is only the generation if another object has an equal definition': [{ uid: 'b' }, 'generation'],
    'is nothing if the object is unchanged': [{}, 'none'],
    'is nothing if `byApi` was false and is now absent': [{ byApi: false }, 'none'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, change]) => {
    expect(providerChange(before && { ...provider, ...before }, provider)).toBe(change);
  });
});

describe('a change of a provider may lock people out', () => {
  const cases: Record<string, [before: object | undefined, after: object, mayLockPeopleOut: boolean]> = {
    'if it disables the provider': [{}, { enabled: false }, true],
    'if a new provider is disabled': [undefined, { enabled: false }, true],
    'if it sets another issuer': [{}, { issuerUrl: 'https://other.example.org' }, true],
    'but not if it changes anything else': [
      { enabled: false },
      { clientId: 'another', displayName: 'Company' },
      false,
    ],
    'but not if the provider is new': [undefined, {}, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, after, mayLockPeopleOut]) => {
    expect(mayLockOut(before && { ...provider, ...before }, { ...provider, ...after })).toBe(
      mayLockPeopleOut,
    );
  });
});

describe('a provider is outdated', () => {
  const cases: Record<string, [before: object | undefined, outdated: boolean]> = {
    'if a newer generation of its object is stored': [{ generation: 3 }, true],
    'but not if an older generation is stored': [{ generation: 1 }, false],
    'but not if the same generation is stored': [{}, false],
    'but not if the stored provider is from another object': [{ uid: 'b', generation: 3 }, false],
    'but not if none is stored': [undefined, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, outdated]) => {
    expect(isOutdated(before && { ...provider, ...before }, provider)).toBe(outdated);
  });
});

test('a provider without an issuer is identified by its user info URL', () => {
  const { issuerUrl: _, ...plain } = provider;
  const described = { ...plain, type: 'OAuth2', userInfoUrl: 'https://forge.example.org/user' } as const;
  expect([issuerOf(provider), issuerOf(described), issuerOf(plain)]).toEqual([
    'https://id.example.org',
    'https://forge.example.org/user',
    '',
  ]);
});

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
    'is everything for a new one': [undefined, 'created'],
    'is a definition that differs': [{ clientId: 'another' }, 'updated'],
    'is the new permission to change it through the API': [{ byApi: true }, 'updated'],
    'is a secret under another name': [{ secretKey: 'company_2' }, 'updated'],
    'is only the state of the object if the definition is equal': [{ generation: 1 }, 'state'],
    'is only the state of another object with an equal definition': [{ uid: 'b' }, 'state'],
    'is nothing for the same state': [{}, 'none'],
    'is nothing if the API may not change it, stated or by default': [{ byApi: false }, 'none'],
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

describe('the state of an object is outdated', () => {
  const cases: Record<string, [before: object | undefined, outdated: boolean]> = {
    'after a newer state': [{ generation: 3 }, true],
    'but not after an older one': [{ generation: 1 }, false],
    'but not after itself': [{}, false],
    'but not after the state of another object': [{ uid: 'b', generation: 3 }, false],
    'but not if there was none before': [undefined, false],
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

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

describe('what is written of a provider', () => {
  const cases: Record<string, [before: object | undefined, change: ReturnType<typeof providerChange>]> = {
    'is all of a new one': [undefined, 'created'],
    'is a definition that differs': [{ clientId: 'another' }, 'updated'],
    'is that the API may change it now': [{ byApi: true }, 'updated'],
    'is a secret under another name': [{ secretKey: 'company_2' }, 'updated'],
    'is only the state of the object where that says the same': [{ generation: 1 }, 'state'],
    'is only the state of another object that says the same': [{ uid: 'b' }, 'state'],
    'is nothing for the same state': [{}, 'none'],
    'is nothing where the API may not change it, said or unsaid': [{ byApi: false }, 'none'],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, change]) => {
    expect(providerChange(before && { ...provider, ...before }, provider)).toBe(change);
  });
});

describe('a provider may lock people out', () => {
  const cases: Record<string, [before: object | undefined, wanted: object, may: boolean]> = {
    'when it is disabled': [{}, { enabled: false }, true],
    'when it is disabled from its beginning': [undefined, { enabled: false }, true],
    'when it speaks for another issuer': [{}, { issuerUrl: 'https://other.example.org' }, true],
    'by nothing else': [{ enabled: false }, { clientId: 'another', displayName: 'Company' }, false],
    'not when it is new': [undefined, {}, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, wanted, may]) => {
    expect(mayLockOut(before && { ...provider, ...before }, { ...provider, ...wanted })).toBe(may);
  });
});

describe('a state of an object is outdated', () => {
  const cases: Record<string, [before: object | undefined, outdated: boolean]> = {
    'after a newer one': [{ generation: 3 }, true],
    'not after an older one': [{ generation: 1 }, false],
    'not after itself': [{}, false],
    'not after one of another object': [{ uid: 'b', generation: 3 }, false],
    'not where nothing was': [undefined, false],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [before, outdated]) => {
    expect(isOutdated(before && { ...provider, ...before }, provider)).toBe(outdated);
  });
});

test('a provider without an issuer is known by what describes its users', () => {
  const { issuerUrl: _, ...plain } = provider;
  const described = { ...plain, type: 'OAuth2', userInfoUrl: 'https://forge.example.org/user' } as const;
  expect([issuerOf(provider), issuerOf(described), issuerOf(plain)]).toEqual([
    'https://id.example.org',
    'https://forge.example.org/user',
    '',
  ]);
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { usernameFault } from './names-and-passwords.ts';
import {
  movedAddresses,
  providerFaults,
  requestedScopes,
  suggestFullName,
  suggestUsername,
  type Claims,
  type OAuthProvider,
} from './oauth-provider.ts';

const OIDC: OAuthProvider = {
  canonical: 'forge',
  type: 'OIDC',
  clientId: 'millrace',
  issuerUrl: 'https://id.example.org/realm',
  enabled: true,
};
const OAUTH2: OAuthProvider = {
  canonical: 'forge',
  type: 'OAuth2',
  clientId: 'millrace',
  authUrl: 'https://forge.example.org/authorize',
  tokenUrl: 'https://forge.example.org/token',
  userInfoUrl: 'https://forge.example.org/user',
  enabled: true,
};

describe('a definition of a provider', () => {
  const { issuerUrl: _, ...withoutIssuer } = OIDC;
  const cases: Record<string, [provider: OAuthProvider, faults: string[]]> = {
    'of OIDC needs its issuer only': [OIDC, []],
    'of OAuth2 needs three URLs': [OAUTH2, []],
    'without the issuer is none': [withoutIssuer, ['A provider of type OIDC needs issuerUrl.']],
    'of OAuth2 with an issuer is none': [
      { ...OAUTH2, issuerUrl: 'https://x.example' },
      ['A provider of type OAuth2 has no issuerUrl.'],
    ],
    'over plain HTTP is none': [
      { ...OIDC, issuerUrl: 'http://id.example.org' },
      ['issuerUrl must be a URL like https://id.example.org/path.'],
    ],
    'with a password in its URL is none': [
      { ...OIDC, issuerUrl: 'https://a:b@id.example.org' },
      ['issuerUrl must be a URL like https://id.example.org/path.'],
    ],
    'has a name that fits into a path': [
      { ...OIDC, canonical: '../x' },
      ['Its name must have 1 to 63 lower-case letters, digits, dots or hyphens.'],
    ],
    'tells everything that is wrong at once': [
      { ...OIDC, clientId: '', scopes: ['a b'] },
      ['It has no client ID.', '"a b" is not a valid scope.'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [provider, faults]) =>
    expect(providerFaults(provider)).toEqual(faults),
  );

  test('asks for openid whatever it names', () => {
    expect(requestedScopes({ type: 'OIDC' })).toEqual(['openid', 'profile', 'email']);
    expect(requestedScopes({ type: 'OIDC', scopes: ['groups'] })).toEqual(['openid', 'groups']);
    expect(requestedScopes({ type: 'OAuth2' })).toEqual([]);
  });
});

describe('the secret of our client would go elsewhere', () => {
  const cases: Record<string, [before: OAuthProvider, change: Partial<OAuthProvider>, moved: string[]]> = {
    'never when nothing moves': [OIDC, {}, []],
    'not by another path of the same server': [OIDC, { issuerUrl: 'https://id.example.org/other' }, []],
    'not by another spelling of it': [OIDC, { issuerUrl: 'https://ID.example.org:443/realm' }, []],
    'not by what is no address': [OIDC, { clientId: 'other', scopes: ['openid'], enabled: false }, []],
    'by another issuer': [OIDC, { issuerUrl: 'https://evil.example/realm' }, ['issuerUrl']],
    'by another port': [OIDC, { issuerUrl: 'https://id.example.org:8443/realm' }, ['issuerUrl']],
    'by a name that begins like it': [
      OIDC,
      { issuerUrl: 'https://id.example.org.evil.example' },
      ['issuerUrl'],
    ],
    'by another place for tokens': [OAUTH2, { tokenUrl: 'https://evil.example/token' }, ['tokenUrl']],
    'by other places for people and what is told of them': [
      OAUTH2,
      { authUrl: 'https://evil.example/authorize', userInfoUrl: 'https://evil.example/user' },
      ['authUrl', 'userInfoUrl'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [before, change, moved]) => {
    expect(movedAddresses(before, { ...before, ...change })).toEqual(moved);
  });
});

describe('a suggested username', () => {
  const cases: Record<string, [claims: Claims, claim: string | undefined, name: string]> = {
    'is the name at the provider': [{ login: 'Ann', email: 'x@y' }, 'login', 'ann'],
    'falls back to what OpenID calls it': [{ preferred_username: 'ann' }, 'login', 'ann'],
    'is the part of the address before the @': [{ email: 'Ann.B+ci@example.org' }, 'email', 'ann.b-ci'],
    'may come from any claim': [{ nick: 'ann' }, 'nick', 'ann'],
    'loses its accents': [{ nick: 'Zoë Å.' }, 'nick', 'zoe-a'],
    'is never empty': [{ nick: '…' }, 'nick', 'user'],
    'is no thing of the language': [{}, '__proto__', 'user'],
    'is none of what is no text': [{ nick: ['ann'] }, 'nick', 'user'],
    'is found where nothing is said': [{ preferred_username: 'ann' }, undefined, 'ann'],
  };
  test.each(Object.entries(cases))('%s', (_name, [claims, claim, name]) => {
    expect(suggestUsername(claims, claim)).toBe(name);
  });

  test('is always one that will do', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (nick) => {
        expect(usernameFault(suggestUsername({ nick }, 'nick'))).toBeUndefined();
      }),
    );
  });

  test('and a full name have no control characters', () => {
    expect(suggestFullName({ name: ' Ann\u0000\nB ' })).toBe('Ann  B');
  });
});

import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { usernameFault } from './names-and-passwords.ts';
import {
  changedOrigins,
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

describe('the definition of a provider', () => {
  const { issuerUrl: _, ...withoutIssuer } = OIDC;
  const cases: Record<string, [provider: OAuthProvider, faults: string[]]> = {
    'is valid with only an issuer for OIDC': [OIDC, []],
    'is valid with three URLs for OAuth2': [OAUTH2, []],
    'is invalid for OIDC without the issuer': [withoutIssuer, ['A provider of type OIDC needs issuerUrl.']],
    'is invalid for OAuth2 with an issuer': [
      { ...OAUTH2, issuerUrl: 'https://x.example' },
      ['A provider of type OAuth2 has no issuerUrl.'],
    ],
    'is invalid over plain HTTP': [
      { ...OIDC, issuerUrl: 'http://id.example.org' },
      ['issuerUrl must be a URL like https://id.example.org/path.'],
    ],
    'is invalid with a password in its URL': [
      { ...OIDC, issuerUrl: 'https://a:b@id.example.org' },
      ['issuerUrl must be a URL like https://id.example.org/path.'],
    ],
    'needs a name that fits into a URL path': [
      { ...OIDC, canonical: '../x' },
      ['Its name must have 1 to 63 lower-case letters, digits, dots or hyphens.'],
    ],
    'reports all of its errors at once': [
      { ...OIDC, clientId: '', scopes: ['a b'] },
      ['It has no client ID.', '"a b" is not a valid scope.'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [provider, faults]) =>
    expect(providerFaults(provider)).toEqual(faults),
  );

  test('always requests the scope openid', () => {
    expect(requestedScopes({ type: 'OIDC' })).toEqual(['openid', 'profile', 'email']);
    expect(requestedScopes({ type: 'OIDC', scopes: ['groups'] })).toEqual(['openid', 'groups']);
    expect(requestedScopes({ type: 'OAuth2' })).toEqual([]);
  });
});

describe('a changed definition would send the client secret to another place', () => {
  const cases: Record<string, [before: OAuthProvider, change: Partial<OAuthProvider>, moved: string[]]> = {
    'never if no URL changes': [OIDC, {}, []],
    'not if only the path on the same server changes': [
      OIDC,
      { issuerUrl: 'https://id.example.org/other' },
      [],
    ],
    'not if only the spelling of the server changes': [
      OIDC,
      { issuerUrl: 'https://ID.example.org:443/realm' },
      [],
    ],
    'not if only fields without a URL change': [
      OIDC,
      { clientId: 'other', scopes: ['openid'], enabled: false },
      [],
    ],
    'if the issuer changes': [OIDC, { issuerUrl: 'https://evil.example/realm' }, ['issuerUrl']],
    'if the port changes': [OIDC, { issuerUrl: 'https://id.example.org:8443/realm' }, ['issuerUrl']],
    'if the new host name only begins like the old one': [
      OIDC,
      { issuerUrl: 'https://id.example.org.evil.example' },
      ['issuerUrl'],
    ],
    'if the token URL changes': [OAUTH2, { tokenUrl: 'https://evil.example/token' }, ['tokenUrl']],
    'if the URLs for signing in and for user info change': [
      OAUTH2,
      { authUrl: 'https://evil.example/authorize', userInfoUrl: 'https://evil.example/user' },
      ['authUrl', 'userInfoUrl'],
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [before, change, moved]) => {
    expect(changedOrigins(before, { ...before, ...change })).toEqual(moved);
  });
});

describe('a suggested username', () => {
  const cases: Record<string, [claims: Claims, claim: string | undefined, name: string]> = {
    'is the username at the provider if the claim is login': [{ login: 'Ann', email: 'x@y' }, 'login', 'ann'],
    'falls back to the standard claims of OpenID': [{ preferred_username: 'ann' }, 'login', 'ann'],
    'is the part of the email address before the @': [{ email: 'Ann.B+ci@example.org' }, 'email', 'ann.b-ci'],
    'may come from any claim': [{ nick: 'ann' }, 'nick', 'ann'],
    'loses its accents': [{ nick: 'Zoë Å.' }, 'nick', 'zoe-a'],
    'is never empty': [{ nick: '…' }, 'nick', 'user'],
    'is not the name of a JavaScript property': [{}, '__proto__', 'user'],
    'ignores claims that are not strings': [{ nick: ['ann'] }, 'nick', 'user'],
    'is found even without a configured claim': [{ preferred_username: 'ann' }, undefined, 'ann'],
  };
  test.each(Object.entries(cases))('%s', (_name, [claims, claim, name]) => {
    expect(suggestUsername(claims, claim)).toBe(name);
  });

  test('is always valid', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), (nick) => {
        expect(usernameFault(suggestUsername({ nick }, 'nick'))).toBeUndefined();
      }),
    );
  });

  test('has no control characters, and neither has the full name', () => {
    expect(suggestFullName({ name: ' Ann\u0000\nB ' })).toBe('Ann  B');
  });
});

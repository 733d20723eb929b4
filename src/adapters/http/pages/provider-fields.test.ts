import { expect, test } from '@jest/globals';
import { providerFaults } from '#domain/access/oauth-provider.ts';
import { enteredProvider, providerProblem, repeatableValues } from './provider-fields.ts';

const GOOD = {
  canonical: 'company',
  type: 'OAuth2' as const,
  clientId: 'millrace',
  authUrl: 'https://id.example.org/auth',
  tokenUrl: 'https://id.example.org/token',
  userInfoUrl: 'https://id.example.org/me',
  enabled: true,
};

test.each([
  ['canonical', { canonical: 'A b' }],
  ['client_id', { clientId: '' }],
  ['auth_url', { authUrl: 'http://id.example.org' }],
  ['token_url', { tokenUrl: 'nonsense' }],
  ['userinfo_url', { userInfoUrl: 'https://{host}/me' }],
  ['issuer_url', { issuerUrl: 'https://id.example.org' }],
  ['scopes', { scopes: ['a"b'] }],
])('what is wrong with a provider is shown beside %s', (field, wrong) => {
  const [message = ''] = providerFaults({ ...GOOD, ...wrong });
  expect(message).not.toBe('');
  expect(providerProblem(message).field).toBe(field);
});

test('a form sends texts without spaces around them, scopes as a list, and whether it is enabled', () => {
  const fields = { csrf_token: 'x', client_id: ' a ', scopes: 'openid, email\n profile ', enabled: 'yes' };
  expect(enteredProvider(fields)).toEqual({
    client_id: 'a',
    scopes: ['openid', 'email', 'profile'],
    enabled: true,
  });
  expect(enteredProvider({})).toEqual({ scopes: [], enabled: false });
});

test('a page shows everything again except the secret and the CSRF token', () => {
  const repeatable = repeatableValues({ csrf_token: 'x', client_secret: 'hunter2', client_id: 'a' });
  expect(repeatable).toEqual({ client_id: 'a', enabled: 'no' });
});

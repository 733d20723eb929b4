import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import type { OAuthClient, StoredProvider } from '#flows/people/oauth-ports.ts';
import {
  forgingProvider,
  honest,
  type ForgingProvider,
  type IdTokenClaims,
} from '#testing/people/forging-provider.ts';
import { openIdClient } from './openid.ts';

/*
 * What a malicious provider or a man in the middle may send. Each case changes one thing in an otherwise
 * valid sign-in.
 */
const ISSUER = 'https://id.example.org';
const SECRET = 'a secret of our client, 32 bytes';
const REQUEST = {
  callbackUrl: 'https://ci.example.org/auth/oauth/one/callback',
  state: 's'.repeat(43),
  nonce: 'n'.repeat(43),
  verifier: 'v'.repeat(43),
};
const PROVIDER: StoredProvider = {
  canonical: 'one',
  type: 'OIDC',
  clientId: 'millrace',
  issuerUrl: ISSUER,
  enabled: true,
  secretKey: 'known',
};

let provider: ForgingProvider;
let client: OAuthClient;

beforeEach(async () => {
  jest.useFakeTimers({
    now: Date.now(),
    doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance', 'setTimeout', 'clearTimeout'],
  });
  provider = await forgingProvider(ISSUER, PROVIDER.clientId);
  provider.nonce = REQUEST.nonce;
  client = openIdClient({
    secretOf: async () => SECRET,
    fetch: async (url, init) => await provider.fetch(url, init),
    now: () => 0,
  });
});
afterEach(() => {
  jest.useRealTimers();
});

const query = (overrides: Record<string, string> = {}): string =>
  new URLSearchParams({ code: 'c', state: REQUEST.state, iss: ISSUER, ...overrides }).toString();
const identify = async (queryString = query()) =>
  await client.identify(PROVIDER, { ...REQUEST, query: queryString });
const FAILURE = { failure: expect.any(String) };
const seconds = (): number => Math.floor(Date.now() / 1000);
const advanceClock = (milliseconds: number): void => jest.setSystemTime(Date.now() + milliseconds);

type Forged = (claims: IdTokenClaims, signer: ForgingProvider) => Promise<string>;
const signed =
  (change: (claims: IdTokenClaims) => object): Forged =>
  async (claims, signer) =>
    await honest({ ...claims, ...change(claims) }, signer);

test('a valid answer identifies the person', async () => {
  expect(await identify()).toMatchObject({ issuer: ISSUER, subject: 'ann' });
  expect(provider.received.get('code_verifier')).toBe(REQUEST.verifier);
  expect(provider.received.get('redirect_uri')).toBe(REQUEST.callbackUrl);
});

test('the client secret reaches providers that decode nothing, like Gitea', async () => {
  client = openIdClient({
    secretOf: async () => 'gto_a-b.c',
    fetch: async (url, init) => await provider.fetch(url, init),
    now: () => 0,
  });
  provider.clientId = 'a1-b2-c3';
  const giteaProvider = { ...PROVIDER, clientId: provider.clientId };
  expect(await client.identify(giteaProvider, { ...REQUEST, query: query() })).toMatchObject({
    subject: 'ann',
  });
  expect(provider.authorization).toBe(`Basic ${btoa('a1-b2-c3:gto_a-b.c')}`);
});

test('the client secret is encoded as OAuth 2.0 requires', async () => {
  await identify();
  expect(provider.authorization).toBe(`Basic ${btoa('millrace:a+secret+of+our+client%2C+32+bytes')}`);
});

const FORGED: Record<string, Forged> = {
  'without a signature': async (claims) => new UnsecuredJWT({ ...claims }).encode(),
  'without a signature, although its header names an algorithm': async (claims, signer) =>
    `${(await honest(claims, signer)).split('.').slice(0, 2).join('.')}.`,
  'signed by another key with the same ID': async (claims, { kid }) => {
    const { privateKey } = await generateKeyPair('ES256');
    return await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'ES256', kid }).sign(privateKey);
  },
  'signed by a key in its header': async (claims) => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const { kty = '', crv = '', x = '', y = '' } = await exportJWK(publicKey);
    const header = { alg: 'ES256', jwk: { kty, crv, x, y }, jku: `${ISSUER}/keys` };
    return await new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
  },
  'signed by HS256 with the public key': async (claims, { kid, publicKey }) => {
    const key = new TextEncoder().encode(await exportSPKI(publicKey));
    return await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', kid }).sign(key);
  },
  'signed by HS256 with the client secret': async (claims, { kid }) =>
    await new SignJWT({ ...claims })
      .setProtectedHeader({ alg: 'HS256', kid })
      .sign(new TextEncoder().encode(SECRET)),
  'changed after it was signed': async (claims, signer) => {
    const [header = '', , signature = ''] = (await honest(claims, signer)).split('.');
    const body = Buffer.from(JSON.stringify({ ...claims, preferred_username: 'root' })).toString('base64url');
    return `${header}.${body}.${signature}`;
  },
  'by another issuer': signed(() => ({ iss: 'https://evil.example' })),
  'for another client': signed(() => ({ aud: 'another' })),
  'for us and another client, authorized for the other one': signed(({ aud }) => ({
    aud: [aud, 'another'],
    azp: 'another',
  })),
  'after it expires': signed(() => ({ exp: seconds() - 60, iat: seconds() - 360 })),
  'without an expiry': signed(() => ({ exp: undefined })),
  'before it is valid': signed(() => ({ nbf: seconds() + 3600 })),
  'without a person': signed(() => ({ sub: undefined })),
  'for another sign-in': signed(() => ({ nonce: 'o'.repeat(43) })),
  'for no sign-in': signed(() => ({ nonce: undefined })),
  'that is not a token': async () => 'nonsense',
};

describe('an ID token is refused', () => {
  test.each(Object.entries(FORGED))('%s', async (_name, forge) => {
    provider.forge = forge;
    expect(await identify()).toEqual(FAILURE);
  });

  test('without a signature or signed by HS256, even if the provider allows that', async () => {
    provider.metadata['id_token_signing_alg_values_supported'] = ['ES256', 'HS256', 'none'];
    for (const name of Object.keys(FORGED).filter((caseName) =>
      /^(without a sig|signed by HS)/.test(caseName),
    )) {
      provider.forge = FORGED[name] ?? honest;
      expect(await identify()).toEqual(FAILURE);
    }
  });

  test('if the user info is of another person', async () => {
    provider.userInfo = { sub: 'root' };
    expect(await identify()).toEqual(FAILURE);
  });
});

describe('the keys of the provider', () => {
  test('are fetched again when a token names a new key', async () => {
    await identify();
    await provider.newKey('second');
    advanceClock(61_000);
    expect(await identify()).toMatchObject({ subject: 'ann' });
    expect(provider.keysAsked).toBe(2);
  });

  test('are trusted for at most five minutes after their removal', async () => {
    await identify();
    const { key, kid } = provider;
    await provider.newKey('second');
    provider.forge = async (claims, signer) => await honest(claims, { ...signer, key, kid });
    advanceClock(301_000);
    expect(await identify()).toEqual(FAILURE);
  });

  test('are fetched only once when several tokens name unknown keys', async () => {
    await identify();
    for (let attempt = 0; attempt < 20; attempt += 1) {
      provider.forge = async (claims, signer) =>
        await honest(claims, { ...signer, kid: `unknown-${attempt}` });
      expect(await identify()).toEqual(FAILURE);
    }
    expect(provider.keysAsked).toBe(1);
  });
});

describe('an answer in the browser is refused', () => {
  const ANSWERS: Record<string, string> = {
    'from another issuer': query({ iss: 'https://evil.example' }),
    'without its issuer': query().replace(/&iss=.*/, ''),
    'with another state': query({ state: 'o'.repeat(43) }),
    'with two states': `${query()}&state=${REQUEST.state}`,
    'with two codes': `${query()}&code=d`,
    'without a code': query().replace('code=c&', ''),
    'with an error': query({ error: 'access_denied' }),
    'with a token beside the code': query({ response: 'x.y.z' }),
  };
  test.each(Object.entries(ANSWERS))('%s', async (_name, queryString) => {
    expect(await identify(queryString)).toEqual(FAILURE);
  });
});

describe('the settings of a provider are refused', () => {
  test('if they belong to another issuer', async () => {
    provider.metadata['issuer'] = 'https://evil.example';
    expect(await identify()).toEqual(FAILURE);
  });

  test('if an endpoint has no TLS', async () => {
    provider.metadata['token_endpoint'] = 'http://id.example.org/token';
    expect(await identify()).toEqual(FAILURE);
  });

  test('if there are no keys', async () => {
    delete provider.metadata['jwks_uri'];
    expect(await identify()).toEqual(FAILURE);
  });
});

test.each([['plain'], [], undefined])(
  'the code challenge is S256, whatever the provider supports: %j',
  async (...methods) => {
    provider.metadata['code_challenge_methods_supported'] = methods[0] === undefined ? undefined : methods;
    const answer = await client.authorizationUrl(PROVIDER, REQUEST);
    const parameters = new URL('url' in answer ? answer.url : ISSUER).searchParams;
    expect(parameters.get('code_challenge_method')).toBe('S256');
    expect(parameters.get('code_challenge')).not.toBe(REQUEST.verifier);
    expect(parameters.get('code_challenge')).toHaveLength(43);
  },
);

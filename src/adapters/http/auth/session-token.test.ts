import { describe, expect, test } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { sessionCodec } from './session-token.ts';

const KEY = Buffer.alloc(32, 7);
const NOW = new Date('2026-11-21T10:00:00Z');
const codec = sessionCodec(KEY);
const SESSION = { id: 'a-session', userId: 12, tokenGen: 3, openedAt: NOW };

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const CLAIMS = { sid: 'a-session', token_gen: 3, iss: 'millrace', aud: 'millrace', sub: '12' };
const signed = async (claims: object, key: Uint8Array = KEY): Promise<string> =>
  await new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(key);

async function withRsa(): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', jwk, kid: '../../dev/null' })
    .sign(privateKey);
}

describe('a session token', () => {
  test('is read as its session and account until it expires', async () => {
    const token = await codec.sign({ ...SESSION, expiresAt: new Date(NOW.getTime() + 60_000) });
    const claims = { id: 'a-session', userId: 12, tokenGen: 3 };
    expect(await codec.read(token, new Date(NOW.getTime() + 59_000))).toEqual(claims);
    expect(await codec.read(token, new Date(NOW.getTime() + 60_000))).toBeUndefined();
    // The claims of the forged tokens below are valid, so each token is invalid for the reason in its title.
    expect(await codec.read(await signed(CLAIMS), NOW)).toEqual(claims);
  });

  const forged: Record<string, () => Promise<string> | string> = {
    'with the algorithm none': () => `${part({ alg: 'none', typ: 'JWT' })}.${part(CLAIMS)}.`,
    'with the algorithm None': () => `${part({ alg: 'None', typ: 'JWT' })}.${part(CLAIMS)}.`,
    'without an algorithm': () => `${part({ typ: 'JWT' })}.${part(CLAIMS)}.`,
    'with an empty signature': async () => (await signed(CLAIMS)).replace(/\.[^.]*$/, '.'),
    'with an RS256 signature and its own public key': async () => await withRsa(),
    'with an RS256 signature declared as HS256': async () => {
      const [, body = '', signature = ''] = (await withRsa()).split('.');
      return `${part({ alg: 'HS256', typ: 'JWT' })}.${body}.${signature}`;
    },
    'if it is signed with a key of zeros': async () => await signed(CLAIMS, Buffer.alloc(32)),
    'if it is of another token type': async () =>
      await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(KEY),
    'without an account': async () => await signed({ ...CLAIMS, sub: undefined }),
    'with an account id that is not a number': async () => await signed({ ...CLAIMS, sub: '12 OR 1=1' }),
    'with an account id above the maximum': async () => await signed({ ...CLAIMS, sub: '9'.repeat(17) }),
    'with a token generation that is a string': async () => await signed({ ...CLAIMS, token_gen: '3' }),
    'with a session id that is an object': async () =>
      await signed({ ...CLAIMS, sid: { toString: 'a-session' } }),
    'for another audience': async () => await signed({ ...CLAIMS, aud: 'elsewhere' }),
    'from another issuer': async () => await signed({ ...CLAIMS, iss: 'elsewhere' }),
    'with five parts': () => 'a.b.c.d.e',
    'if it is empty': () => '',
  };
  test.each(Object.entries(forged))('is invalid %s', async (_name, makeToken) => {
    expect(await codec.read(await makeToken(), NOW)).toBeUndefined();
  });
});

test('a CSRF token is valid for one session and depends on the key', () => {
  const token = codec.csrfToken('a-session');
  expect(token).toHaveLength(43);
  expect(codec.csrfToken('another')).not.toBe(token);
  expect(sessionCodec(Buffer.alloc(32, 8)).csrfToken('a-session')).not.toBe(token);
});

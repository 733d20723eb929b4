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

async function withRsa(header: object = {}): Promise<string> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return await new SignJWT(CLAIMS)
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', jwk, kid: '../../dev/null', ...header })
    .sign(privateKey);
}

describe('a session token', () => {
  test('says who it is of, and ends when it should', async () => {
    const token = await codec.sign({ ...SESSION, expiresAt: new Date(NOW.getTime() + 60_000) });
    const read = { id: 'a-session', userId: 12, tokenGen: 3 };
    expect(await codec.read(token, new Date(NOW.getTime() + 59_000))).toEqual(read);
    expect(await codec.read(token, new Date(NOW.getTime() + 60_000))).toBeUndefined();
    expect(await codec.read(await signed(CLAIMS), NOW)).toEqual(read);
  });

  const forged: Record<string, () => Promise<string> | string> = {
    'that says none': () => `${part({ alg: 'none', typ: 'JWT' })}.${part(CLAIMS)}.`,
    'that says None': () => `${part({ alg: 'None', typ: 'JWT' })}.${part(CLAIMS)}.`,
    'without an algorithm': () => `${part({ typ: 'JWT' })}.${part(CLAIMS)}.`,
    'whose signature was cut off': async () => (await signed(CLAIMS)).replace(/\.[^.]*$/, '.'),
    'signed by RS256 with a key that it brings along': async () => await withRsa(),
    'signed by RS256, said to be HS256': async () => {
      const [, body = '', signature = ''] = (await withRsa()).split('.');
      return `${part({ alg: 'HS256', typ: 'JWT' })}.${body}.${signature}`;
    },
    'signed by an empty key': async () => await signed(CLAIMS, Buffer.alloc(32)),
    'signed with the word of another kind': async () =>
      await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', typ: 'at+jwt' }).sign(KEY),
    'of no account': async () => await signed({ ...CLAIMS, sub: undefined }),
    'of an account that is no number': async () => await signed({ ...CLAIMS, sub: '12 OR 1=1' }),
    'of a number beyond all': async () => await signed({ ...CLAIMS, sub: '9'.repeat(17) }),
    'whose number of the account is a text': async () => await signed({ ...CLAIMS, token_gen: '3' }),
    'whose session is an object': async () => await signed({ ...CLAIMS, sid: { toString: 'a-session' } }),
    'for somebody else': async () => await signed({ ...CLAIMS, aud: 'elsewhere' }),
    'by somebody else': async () => await signed({ ...CLAIMS, iss: 'elsewhere' }),
    'that is five parts': () => 'a.b.c.d.e',
    'that is empty': () => '',
  };
  test.each(Object.entries(forged))('%s is none', async (_name, make) => {
    expect(await codec.read(await make(), NOW)).toBeUndefined();
  });
});

test('the word of a page of ours fits one session, and needs the key', () => {
  const word = codec.csrfToken('a-session');
  expect(word).toHaveLength(43);
  expect(codec.csrfToken('another')).not.toBe(word);
  expect(sessionCodec(Buffer.alloc(32, 8)).csrfToken('a-session')).not.toBe(word);
});

import { createHash, randomBytes } from 'node:crypto';

const TOKEN_PREFIX = 'tok_';
const TOKEN_FORM = /^tok_[0-9a-f]{64}$/;

/** Creates a token. The caller stores only `hash` and `prefix`, which is `tok_` and 8 hex digits. */
export function makeApiToken(): { token: string; hash: Buffer; prefix: string } {
  const token = `${TOKEN_PREFIX}${randomBytes(32).toString('hex')}`;
  return { token, hash: hashOf(token), prefix: token.slice(0, TOKEN_PREFIX.length + 8) };
}

/** Returns the hash of a token, or undefined if the text does not have the form of an API token. */
export function apiTokenHash(token: string): Buffer | undefined {
  return TOKEN_FORM.test(token) ? hashOf(token) : undefined;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

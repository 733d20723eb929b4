import { createHash, randomBytes } from 'node:crypto';

const WORD = 'tok_';
const FORM = /^tok_[0-9a-f]{64}$/;

/** Creates a token. Only its hash and its prefix are stored. */
export function makeApiToken(): { token: string; hash: Buffer; prefix: string } {
  const token = `${WORD}${randomBytes(32).toString('hex')}`;
  return { token, hash: hashOf(token), prefix: token.slice(0, WORD.length + 8) };
}

/** Undefined if it does not have the form of an API token. */
export function apiTokenHash(token: string): Buffer | undefined {
  return FORM.test(token) ? hashOf(token) : undefined;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

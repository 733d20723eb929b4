import { createHash, randomBytes } from 'node:crypto';

const WORD = 'tok_';
const FORM = /^tok_[0-9a-f]{64}$/;

/** A token, shown once, and what is kept of it. */
export function makeApiToken(): { token: string; hash: Buffer; prefix: string } {
  const token = `${WORD}${randomBytes(32).toString('hex')}`;
  return { token, hash: hashOf(token), prefix: token.slice(0, WORD.length + 8) };
}

/** Undefined for what is no such token. */
export function apiTokenHash(token: string): Buffer | undefined {
  return FORM.test(token) ? hashOf(token) : undefined;
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

import { randomBytes } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import type { Passwords } from '#flows/people/ports.ts';
import { isCommonPassword } from './common-passwords.ts';
import { limitConcurrency } from './password-turns.ts';

/** argon2id, with the least that OWASP's Password Storage Cheat Sheet asks for. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each takes 19 MiB and a core: more at once would be slower for everybody. */
const AT_ONCE = 2;
const WAITING = 64;

/**
 * Password hashes. An account without a password, or none at all, is compared with a hash that nothing fits,
 * so that it takes as long.
 */
export async function argon2Passwords(): Promise<Passwords> {
  const nobody = await argon2Hash(randomBytes(32), COST);
  const inTurn = limitConcurrency(AT_ONCE, WAITING);
  return {
    hash: async (password) => await inTurn(async () => await argon2Hash(password, COST)),
    async verify(hash, password) {
      const fits = await inTurn(async () => await argon2Verify(hash ?? nobody, password));
      return fits && hash !== undefined;
    },
    isCommon: isCommonPassword,
  };
}

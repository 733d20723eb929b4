import { randomBytes } from 'node:crypto';
import { hash as argon2Hash, verify as argon2Verify } from '@node-rs/argon2';
import type { Passwords } from '#flows/people/ports.ts';
import { isCommonPassword } from './common-passwords.ts';
import { limitConcurrency } from './password-turns.ts';

/** Parameters of argon2id: the minimum of OWASP's Password Storage Cheat Sheet. `memoryCost` is in KiB. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
/** Each hash takes 19 MiB and a core, so more hashes at a time would slow each other down. */
const MAX_CONCURRENT = 2;
const MAX_WAITING = 64;

/**
 * Hashes and verifies passwords. If an account has no hash or does not exist, `verify` compares with a hash
 * that no password matches, so that timing does not reveal which accounts exist.
 */
export async function argon2Passwords(): Promise<Passwords> {
  const unmatchable = await argon2Hash(randomBytes(32), COST);
  const runInTurn = limitConcurrency(MAX_CONCURRENT, MAX_WAITING);
  return {
    hash: async (password) => await runInTurn(async () => await argon2Hash(password, COST)),
    async verify(hash, password) {
      const matches = await runInTurn(async () => await argon2Verify(hash ?? unmatchable, password));
      return matches && hash !== undefined;
    },
    isCommon: isCommonPassword,
  };
}

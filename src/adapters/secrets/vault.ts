import type { SecretLookup } from '#domain/planning/next-lookups.ts';
import { stringOfEntry } from './parse-secret-file.ts';
import { VaultSession, type VaultAccess } from './vault-session.ts';

/** `transient`: a later attempt may succeed. */
export type VaultAnswer = { value: string } | { fault: string; transient: boolean };

/**
 * Reads secrets of the `kv` engine, versions 1 and 2. Lookups with the same configuration share a login,
 * whose token is revoked afterwards. The answers are in the order of the lookups.
 */
export async function readVault(
  lookups: readonly SecretLookup[],
  access: VaultAccess,
): Promise<VaultAnswer[]> {
  const groups = Map.groupBy(lookups, ({ config }) => JSON.stringify(config));
  const answers = new Map<SecretLookup, VaultAnswer>();
  for (const group of groups.values()) {
    const session = new VaultSession(group[0]?.config ?? {}, access);
    const secrets = new Map<string, ReturnType<VaultSession['read']>>();
    for (const lookup of group) {
      const secret = secrets.get(lookup.path) ?? session.read(lookup.path);
      secrets.set(lookup.path, secret);
      answers.set(lookup, memberOf(await secret, lookup.key));
    }
    await session.close();
  }
  return lookups.flatMap((lookup) => answers.get(lookup) ?? []);
}

function memberOf(secret: Awaited<ReturnType<VaultSession['read']>>, key: string): VaultAnswer {
  if ('fault' in secret) return secret;
  if (!Object.hasOwn(secret.data, key))
    return { fault: 'the secret in Vault has no such key', transient: false };
  return { value: stringOfEntry(secret.data[key]) };
}

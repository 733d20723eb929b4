import { identityKeyLocation, identitySigner, type SignIdentity } from '#adapters/crypto/identity-tokens.ts';
import { openValue } from '#adapters/crypto/stored-values.ts';
import { signingKey } from '#domain/build/identity-keys.ts';
import type { IssueIdentityPorts } from '#flows/builds/identity-ports.ts';
import type { IdentityKeyStore } from '#flows/pipelines/identity-key-ports.ts';
import { privateKeysIn } from './store-secrets.ts';

export interface IdentitySignerParts {
  identityKeys: Pick<IdentityKeyStore, 'sealedKeys'>;
  /** The directory of the keys that decrypt stored secrets. */
  storeKeysDirectory: string | undefined;
  now: () => Date;
}

/**
 * Returns a function that finds the key that signs identity tokens at this time. Keeps the last key decrypted
 * in memory.
 */
export function openIdentitySigner({
  identityKeys,
  storeKeysDirectory,
  now,
}: IdentitySignerParts): IssueIdentityPorts['identitySigner'] {
  let opened: { id: string; sign: SignIdentity } | undefined;
  return async () => {
    const key = signingKey(await identityKeys.sealedKeys(), now());
    if (key === undefined) return { answer: 'unavailable', reason: NO_KEY };
    if (opened?.id !== key.id) {
      const keys = await privateKeysIn(storeKeysDirectory);
      const pem = openValue(keys, key.sealed, identityKeyLocation(key.id));
      if (pem === undefined) return { answer: 'unavailable', reason: NOT_MOUNTED };
      opened = { id: key.id, sign: await identitySigner(key.id, pem) };
    }
    const { sign } = opened;
    return { answer: 'ready', sign: async (claims) => await sign({ ...claims }) };
  };
}

const NO_KEY = 'The key that signs identity tokens does not exist yet: the operator creates it.';
const NOT_MOUNTED = 'The key that decrypts the key of identity tokens is not mounted yet.';

import { identityKeyLocation, makeIdentityKeyPair } from '#adapters/crypto/identity-tokens.ts';
import { sealValue, storeKeys } from '#adapters/crypto/stored-values.ts';
import type { SealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { IdentityKeyStore, NewIdentityKey } from '#flows/pipelines/identity-key-ports.ts';
import { maintainIdentityKeys } from '#flows/pipelines/maintain-identity-keys.ts';
import { rewrapRows, type StoreKeys } from './store-keys.ts';

interface IdentityKeyParts {
  identityKeys: Pick<IdentityKeyStore, 'withKeys'>;
  sealedIdentityKeys: SealedRows;
  log: Log;
  now: () => Date;
}

/**
 * Creates and rotates the keys that sign identity tokens. They are encrypted with the keys of stored secrets.
 */
export async function keepIdentityKeys(store: StoreKeys, parts: IdentityKeyParts): Promise<void> {
  await rewrapRows(store, parts.sealedIdentityKeys);
  const known = storeKeys([store.private, store.previous]);
  const { created, removed } = await maintainIdentityKeys({
    ...parts,
    makeKey: async () => await makeSealedKey(store.public),
    canOpen: ({ keyId }) => known.has(keyId),
  });
  if (created.length > 0 || removed.length > 0)
    parts.log.info({ created, removed }, 'the keys that sign identity tokens have changed');
}

async function makeSealedKey(storeKey: string): Promise<NewIdentityKey> {
  const { id, publicKey, privateKey } = await makeIdentityKeyPair();
  return { id, publicKey, sealed: sealValue(storeKey, privateKey, identityKeyLocation(id)) };
}

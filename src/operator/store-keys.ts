import { makeStoreKeyPair, rewrapValue, storeKeyIdOf, storeKeys } from '#adapters/crypto/stored-values.ts';
import type { SealedRow, SealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import { ensureStoreKeys, type ReleaseSecretsOptions } from '#adapters/kubernetes/secrets/release-secrets.ts';
import type { Log } from '#adapters/telemetry/log.ts';
import type { SealedValue } from '#flows/pipelines/secret-ports.ts';

/** Rows that are read at a time. */
const MAX_ROWS = 100;

/** What is encrypted for the keys of the store. */
export interface SealedByStoreKeys {
  storedSecrets: SealedRows;
  /** Private keys that sign identity tokens. */
  sealedIdentityKeys: SealedRows;
}

/**
 * Creates the keys that encrypt stored secrets, and rotates them if the Secret requests that. The former
 * private key stays in the Secret until the next rotation. So a rotation waits until everything that can be
 * opened is encrypted for the current key, and until no stored secret needs a key that is lost. Identity keys
 * do not keep a rotation waiting: `keepIdentityKeys` replaces those that cannot be opened.
 */
export async function maintainStoreKeys(
  options: ReleaseSecretsOptions,
  { storedSecrets, sealedIdentityKeys }: SealedByStoreKeys,
  log: Log,
): Promise<StoreKeys> {
  const keys = await ensureStoreKeys({ ...options, makePair: makeStoreKeyPair, mayRotate: false });
  const unopened = await rewrapAll(keys, storedSecrets, log);
  if (keys.rotate === '' || unopened > 0) return keys;
  await rewrapRows(keys, sealedIdentityKeys);
  const renewed = await ensureStoreKeys({ ...options, makePair: makeStoreKeyPair, mayRotate: true });
  await rewrapAll(renewed, storedSecrets, log);
  log.info('stored secrets are encrypted for a new key');
  return renewed;
}

export type StoreKeys = Awaited<ReturnType<typeof ensureStoreKeys>>;

async function rewrapAll(keys: StoreKeys, rows: SealedRows, log: Log): Promise<number> {
  const unopened = await rewrapRows(keys, rows);
  if (unopened > 0) log.error({ values: unopened }, 'stored secrets cannot be opened: their key is lost');
  return unopened;
}

/**
 * Encrypts the data keys of all values for the current public key. Returns the number of values whose private
 * key is lost.
 */
export async function rewrapRows(keys: StoreKeys, rows: SealedRows): Promise<number> {
  const known = storeKeys([keys.private, keys.previous]);
  const current = storeKeyIdOf(keys.public);
  const rewrap = (row: SealedRow): SealedValue | undefined => rewrapValue(known, row, keys.public);
  for (;;) {
    const { rewrapped, unopened } = await rewrapOnce(current, rewrap, rows);
    // Values that were stored meanwhile may be encrypted for another key, so they are read again.
    if (rewrapped === 0) return unopened;
  }
}

/**
 * Reads each value that is encrypted for another key once. A value whose private key is lost stays as it is.
 */
async function rewrapOnce(
  current: string,
  rewrap: (row: SealedRow) => SealedValue | undefined,
  rows: SealedRows,
): Promise<{ rewrapped: number; unopened: number }> {
  const counts = { rewrapped: 0, unopened: 0 };
  let after = 0;
  for (;;) {
    const batch = await rows.ofOtherKeys(current, MAX_ROWS, after);
    for (const row of batch) {
      const renewed = rewrap(row);
      if (renewed === undefined) {
        counts.unopened += 1;
        continue;
      }
      await rows.saveWrappedKey({ ...renewed, id: row.id }, row.keyId);
      counts.rewrapped += 1;
    }
    after = batch.at(-1)?.id ?? after;
    if (batch.length < MAX_ROWS) return counts;
  }
}

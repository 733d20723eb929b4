import { makeStoreKeyPair, rewrapValue, storeKeyIdOf, storeKeys } from '#adapters/crypto/stored-values.ts';
import type { SealedRows } from '#adapters/database/pipelines/sealed-rows.ts';
import { ensureStoreKeys, type ReleaseSecretsOptions } from '#adapters/kubernetes/secrets/release-secrets.ts';
import type { Log } from '#adapters/telemetry/log.ts';

/** Rows that are read at a time. */
const MAX_ROWS = 100;

/**
 * Creates the keys that encrypt stored secrets, and rotates them if the Secret requests that. The former key
 * stays until the next rotation, which therefore waits until no value needs the former key.
 */
export async function maintainStoreKeys(
  options: ReleaseSecretsOptions,
  rows: SealedRows,
  log: Log,
): Promise<StoreKeys> {
  const keys = await ensureStoreKeys({ ...options, makePair: makeStoreKeyPair, mayRotate: false });
  const unopened = await rewrapAll(keys, rows, log);
  if (keys.rotate === '' || unopened > 0) return keys;
  const renewed = await ensureStoreKeys({ ...options, makePair: makeStoreKeyPair, mayRotate: true });
  await rewrapAll(renewed, rows, log);
  log.info('stored secrets are encrypted for a new key');
  return renewed;
}

export type StoreKeys = Awaited<ReturnType<typeof ensureStoreKeys>>;

async function rewrapAll(keys: StoreKeys, rows: SealedRows, log: Log): Promise<number> {
  const unopened = await rewrapRows(keys, rows);
  if (unopened > 0) log.error({ values: unopened }, 'stored secrets cannot be opened: their key is lost');
  return unopened;
}

/** Wraps the keys of all values for the current key. Returns the number of values whose key is lost. */
export async function rewrapRows(keys: StoreKeys, rows: SealedRows): Promise<number> {
  const known = storeKeys([keys.private, keys.previous]);
  const current = storeKeyIdOf(keys.public);
  for (;;) {
    const batch = await rows.ofOtherKeys(current, MAX_ROWS);
    const rewrapped = batch.flatMap((row) => {
      const renewed = rewrapValue(known, row, keys.public);
      return renewed === undefined ? [] : [{ row: { ...renewed, id: row.id }, former: row.keyId }];
    });
    for (const { row, former } of rewrapped) await rows.saveWrappedKey(row, former);
    if (rewrapped.length === 0) return batch.length;
  }
}

import type { KeyObject } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { openValue, sealValue, storeKeys } from '#adapters/crypto/stored-values.ts';
import type { StoredValue } from '#adapters/database/pipelines/secret-store.ts';
import type { SealedValue } from '#flows/pipelines/secret-ports.ts';
import type { SecretLookupResult, SecretSource } from './team-secrets.ts';

/**
 * Reads a key of the mounted Secret. Returns an empty text if the key cannot be read. Nothing is cached,
 * because a rotation replaces the files.
 */
async function readKey(directory: string, name: string): Promise<string> {
  return await readFile(join(directory, name), 'utf8').catch(() => '');
}

/**
 * Returns a function that seals values with the public key of the installation. While that key is not
 * mounted, the function returns undefined.
 */
export function sealerIn(directory: string | undefined) {
  return async (value: string, location: string): Promise<SealedValue | undefined> => {
    const key = directory === undefined ? '' : await readKey(directory, 'public');
    return key === '' ? undefined : sealValue(key, value, location);
  };
}

/** Reads the private keys of the installation. Returns them by their ids, or none without a directory. */
export async function privateKeysIn(directory: string | undefined): Promise<ReadonlyMap<string, KeyObject>> {
  const names = directory === undefined ? [] : ['private', 'previous'];
  return storeKeys(await Promise.all(names.map((name) => readKey(directory ?? '', name))));
}

/**
 * Reads secrets that people stored over the API, and decrypts them with the private keys of the installation.
 */
export function storeSource(
  directory: string | undefined,
  readValues: (pipelineId: number, names: string[]) => Promise<StoredValue[]>,
): SecretSource {
  return async ({ pipelineId }, lookups) => {
    const storedValues = await readValues(pipelineId, [...new Set(lookups.map(({ key }) => key))]);
    const byName = new Map(storedValues.map((value) => [value.name, value]));
    const keys = await privateKeysIn(directory);
    const results: SecretLookupResult[] = [];
    for (const { key } of lookups) {
      results.push(resultOf(byName.get(key), keys));
      // Decrypting a value takes some milliseconds, so the process answers other requests in between.
      await setImmediate();
    }
    return results;
  };
}

function resultOf(stored: StoredValue | undefined, keys: ReadonlyMap<string, KeyObject>): SecretLookupResult {
  if (stored === undefined) return { fault: 'neither the pipeline nor the team has stored it' };
  if ('plain' in stored) return { value: stored.plain, plain: true };
  const value = openValue(keys, stored.sealed, stored.location);
  return value === undefined ? { fault: 'its key is not mounted yet', transient: true } : { value };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A valid key of a Secret, which cannot name a file outside the folder. */
const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;

/**
 * Returns a function that reads the client secrets of identity providers from mounted Secrets. It reads the
 * files each time, so a new secret works as soon as it is mounted. Until then it asks `readFromApi`, because
 * the kubelet mounts new files late.
 */
export function clientSecretReader(
  directories: readonly string[],
  readFromApi: (key: string) => Promise<string | undefined>,
): (key: string) => Promise<string | undefined> {
  return async (key) => {
    if (!KEY.test(key)) return undefined;
    for (const directory of directories) {
      const text = (await readFile(join(directory, key), 'utf8').catch(() => '')).trim();
      if (text !== '') return text;
    }
    return await readFromApi(key);
  };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A valid key of a Secret, which cannot name a file outside the folder. */
const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;

/**
 * Returns a function that reads client secrets of identity providers by their keys. At each call, it reads
 * the mounted Secrets. The kubelet mounts new files late, so a secret that is not mounted is read with
 * `readFromApi`.
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

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** As a key of a Secret may be; never a way out of the folder. */
const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;

/**
 * Secrets of our clients at identity providers, from mounted Secrets: read each time, so that a new one
 * counts as soon as it is there. Files come late; what is not mounted yet, `elsewhere` may know.
 */
export function secretsIn(
  directories: readonly string[],
  elsewhere: (key: string) => Promise<string | undefined>,
): (key: string) => Promise<string | undefined> {
  return async (key) => {
    if (!KEY.test(key)) return undefined;
    for (const directory of directories) {
      const text = (await readFile(join(directory, key), 'utf8').catch(() => '')).trim();
      if (text !== '') return text;
    }
    return await elsewhere(key);
  };
}

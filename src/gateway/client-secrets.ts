import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A valid key of a Secret, which cannot name a file outside the folder. */
const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;

/**
 * Secrets of our clients at identity providers, from mounted Secrets. They are read each time, so a new one
 * works as soon as it is mounted. Mounted files arrive late; until then, `elsewhere` may have the value.
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

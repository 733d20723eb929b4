import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** As a key of a Secret may be; never a way out of the folder. */
const KEY = /^(?!\.{1,2}$)[\w.-]{1,253}$/;

/** Secrets of our clients at identity providers, from a mounted Secret: read each time, so that a new one counts as soon as it is there. */
export function secretsIn(directory: string | undefined): (key: string) => Promise<string | undefined> {
  return async (key) => {
    if (directory === undefined || !KEY.test(key)) return undefined;
    const text = await readFile(join(directory, key), 'utf8').catch(() => '');
    return text.trim() === '' ? undefined : text.trim();
  };
}

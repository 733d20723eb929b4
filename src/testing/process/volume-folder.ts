import { mkdtemp } from 'node:fs/promises';

/**
 * Makes a folder on another file system than the temporary folder. The volume of a Team is on another file
 * system too.
 */
export async function volumeFolder(): Promise<string> {
  return await mkdtemp('/dev/shm/millrace-volume-');
}

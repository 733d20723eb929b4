import { mkdtemp } from 'node:fs/promises';

/**
 * Makes a folder on another file system than the temporary folder, as the volume of a Team is in a container.
 */
export async function volumeFolder(): Promise<string> {
  return await mkdtemp('/dev/shm/millrace-volume-');
}

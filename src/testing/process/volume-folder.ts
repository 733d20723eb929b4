import { mkdtemp } from 'node:fs/promises';

/** A new folder on a file system of its own, as the volume of a Team is in a container. */
export async function volumeFolder(): Promise<string> {
  return await mkdtemp('/dev/shm/millrace-volume-');
}

import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';

export const MAX_MEASURED_FILES = 50_000;
const MAX_MEASURING_MS = 250;
/** `lstat` counts the size of a file in blocks of 512 bytes, whatever the file system (stat(2)). */
const BLOCK_BYTES = 512;

/**
 * Returns the bytes on disk that the files and folders in a folder take. Returns undefined if a part of it
 * cannot be read, if it has too many files, or if measuring it takes too long.
 */
export async function measureFolder(folder: string): Promise<number | undefined> {
  const deadline = performance.now() + MAX_MEASURING_MS;
  let bytes = 0;
  let fileCount = 0;
  try {
    for await (const path of filesIn(folder)) {
      fileCount += 1;
      if (fileCount > MAX_MEASURED_FILES || performance.now() > deadline) return undefined;
      bytes += (await lstat(path)).blocks * BLOCK_BYTES;
    }
    return bytes;
  } catch {
    return undefined;
  }
}

async function* filesIn(folder: string): AsyncGenerator<string> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    yield path;
    if (entry.isDirectory()) yield* filesIn(path);
  }
}

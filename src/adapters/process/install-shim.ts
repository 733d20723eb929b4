import { chmod, copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Copies the shim to the folder in which containers wait for it. The file appears under its name only when it
 * is complete.
 */
export async function installShim(source: string, folder: string): Promise<void> {
  const target = join(folder, 'millrace-shim');
  const temporaryFile = `${target}.part`;
  await copyFile(source, temporaryFile);
  await chmod(temporaryFile, 0o755);
  await rename(temporaryFile, target);
}

import { chmod, copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** Copies the shim to the folder that containers of other images wait for. The copy appears in one step. */
export async function installShim(source: string, folder: string): Promise<void> {
  const whole = join(folder, 'millrace-shim');
  const part = `${whole}.part`;
  await copyFile(source, part);
  await chmod(part, 0o755);
  await rename(part, whole);
}

import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a line into a file that only this user can read. */
export async function writePrivate(file: string, line: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await writeFile(file, `${line}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

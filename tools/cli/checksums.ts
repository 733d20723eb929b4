import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';

/** Writes SHA256SUMS, which `sha256sum --check` and `shasum -a 256 --check` read. */
export async function writeChecksums(folder: string, files: readonly string[]): Promise<void> {
  const lines: string[] = [];
  for (const file of files) {
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    lines.push(`${hash.digest('hex')}  ${basename(file)}\n`);
  }
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''));
}

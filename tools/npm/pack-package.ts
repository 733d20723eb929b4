import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

const MAX_ATTEMPTS = 4;
const FIRST_WAIT_MS = 4000;

export interface PackedPackage {
  /** `name@version`. */
  packageSpec: string;
  /** The expected digest of the archive, as in a lockfile. */
  integrity: string;
  /** The file that lists the digest, for messages. */
  source: string;
}

interface PackOptions {
  download?: (packageSpec: string, folder: string) => Promise<unknown>;
  firstWaitMs?: number;
}

/**
 * Downloads a package into an empty folder; returns the path of its archive. Throws if the archive does not
 * have the expected digest. Tries four times with growing pauses, because a registry that does not answer for
 * a while must not end a build of many minutes.
 */
export async function packPackage(
  { packageSpec, integrity, source }: PackedPackage,
  folder: string,
  { download = npmPack, firstWaitMs = FIRST_WAIT_MS }: PackOptions = {},
): Promise<string> {
  await withRetries(() => download(packageSpec, folder), firstWaitMs);
  const archive = join(folder, (await readdir(folder))[0] ?? '');
  checkIntegrity(packageSpec, await readFile(archive), { integrity, source });
  return archive;
}

const npmPack = (packageSpec: string, folder: string): Promise<unknown> =>
  run('npm', ['pack', '--loglevel=error', '--pack-destination', folder, packageSpec]);

async function withRetries(work: () => Promise<unknown>, firstWaitMs: number): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === MAX_ATTEMPTS) throw error;
      await sleep(firstWaitMs * 2 ** (attempt - 1));
    }
  }
}

/** Throws if the bytes of a package do not have the expected digest. */
export function checkIntegrity(
  packageSpec: string,
  bytes: Uint8Array,
  { integrity, source }: Pick<PackedPackage, 'integrity' | 'source'>,
): void {
  const actual = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (actual !== integrity)
    throw new Error(`${packageSpec} has digest ${actual}; ${source} wants ${integrity}`);
}

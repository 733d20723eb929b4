import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Installs Debian packages if `program`, an absolute path, is missing. */
export async function installIfMissing(program: string, ...packages: string[]): Promise<void> {
  if (existsSync(program)) return;
  if (process.getuid?.() !== 0)
    throw new Error(`${program} is missing: install the Debian packages ${packages.join(' and ')}.`);
  const options = { env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }, maxBuffer: 64 * 1024 * 1024 };
  // Another test may be installing something.
  const lock = ['-o', 'DPkg::Lock::Timeout=300'];
  await run('apt-get', [...lock, 'update', '-q'], options);
  await run('apt-get', [...lock, 'install', '-q', '-y', '--no-install-recommends', ...packages], options);
}

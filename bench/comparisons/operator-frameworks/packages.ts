import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A package with its dependencies. */
export interface Installed {
  folder: string;
  packages: number;
  bytes: number;
  /** Names and versions of packages whose registry entry or README says that they are deprecated. */
  deprecated: string[];
}

/** Installs one package into a separate folder, with npm and without running its scripts. */
export async function install(folder: string, packageSpec: string): Promise<Installed> {
  await mkdir(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"name": "contestant", "private": true}\n');
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await promisify(execFile)('npm', ['install', ...flags, packageSpec], { cwd: folder });
  const lock: { packages: Record<string, { version?: string; deprecated?: string }> } = JSON.parse(
    readFileSync(join(folder, 'package-lock.json'), 'utf8'),
  );
  const installedPackages = Object.entries(lock.packages).filter(([path]) => path !== '');
  return {
    folder,
    packages: installedPackages.length,
    bytes: bytesIn(join(folder, 'node_modules')),
    deprecated: installedPackages
      .filter(([path, { deprecated }]) => deprecated !== undefined || readmeSaysSo(join(folder, path)))
      .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')} ${version ?? ''}`),
  };
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

/** Registry mirrors may omit the deprecation, but the README often mentions it. */
function readmeSaysSo(folder: string): boolean {
  const readme = readdirSync(folder).find((name) => /^readme\.md$/i.test(name));
  if (readme === undefined) return false;
  const opening = readFileSync(join(folder, readme), 'utf8').slice(0, 1500);
  return /\b(is|was|has been) (fully |now )?(deprecated|no longer supported|unmaintained)|^#+ *deprecated/im.test(
    opening,
  );
}

import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { cacheRoot } from '#tools/cache-root.ts';
import { checkout } from '#tools/checkout.ts';
import { packPackage, type PackedPackage } from '#tools/npm/pack-package.ts';
import { outputFolder } from './inputs.ts';

const run = promisify(execFile);

const Lock = Type.Object({
  packages: Type.Record(
    Type.String(),
    Type.Object({ version: Type.Optional(Type.String()), integrity: Type.Optional(Type.String()) }),
  ),
});

/** npm's names for the architectures of images. */
const CPUS = { amd64: 'x64', arm64: 'arm64' } as const;
type Architecture = keyof typeof CPUS;

/** Packages for pictures: sharp with libvips as a separate library, as its licence (LGPL) requires. */
export const picturePackages = (system: 'linux' | 'darwin', architecture: Architecture): readonly string[] =>
  ['sharp', 'sharp-libvips'].map((name) => `@img/${name}-${system}-${CPUS[architecture]}`);

/** Native packages that an installation loads at run time. */
const packagesFor = (architecture: Architecture): readonly string[] => [
  ...picturePackages('linux', architecture),
  `@node-rs/argon2-linux-${CPUS[architecture]}-gnu`,
];

/** The same packages in the checkout, for this machine's architecture; the notices list them. */
export const packagesInNotices = packagesFor(process.arch === 'arm64' ? 'arm64' : 'amd64').map(
  (name) => `node_modules/${name}`,
);

/** Copies the packages of an architecture, also a foreign one, into `dist/native-<architecture>`. */
export async function copyNative(architecture: Architecture): Promise<void> {
  await copyPackages(packagesFor(architecture), join(outputFolder, `native-${architecture}`));
}

/** Copies packages of the lock file, also those of a foreign platform, into a folder. Replaces the folder. */
export async function copyPackages(names: readonly string[], target: string): Promise<void> {
  await rm(target, { recursive: true, force: true });
  for (const [name, version, integrity] of await lockedPackages(names)) {
    const source = await fetchPackage({
      packageSpec: `${name}@${version}`,
      integrity,
      source: 'package-lock.json',
    });
    await cp(source, join(target, name), { recursive: true });
  }
}

/** Name, version and digest of packages, from the lock file. */
export async function lockedPackages(
  names: readonly string[],
): Promise<(readonly [name: string, version: string, integrity: string])[]> {
  const lock = Value.Parse(Lock, JSON.parse(await readFile(join(checkout, 'package-lock.json'), 'utf8')));
  return names.map((name) => {
    const { version = '', integrity = '' } = lock.packages[`node_modules/${name}`] ?? {};
    return [name, version, integrity];
  });
}

/** Fetches and unpacks a package, unless the cache has it. Returns its folder. */
export async function fetchPackage(packed: PackedPackage): Promise<string> {
  const { integrity } = packed;
  const folder = join(cacheRoot(), 'native');
  const cached = join(folder, createHash('sha256').update(integrity).digest('hex').slice(0, 32));
  if ((await readdir(cached).catch(() => [])).length > 0) return cached;
  await mkdir(folder, { recursive: true });
  const unfinished = await mkdtemp(join(folder, 'unfinished-'));
  try {
    const archive = await packPackage(packed, unfinished);
    await run('tar', ['-xzf', archive, '-C', unfinished]);
    // Another process may have been faster.
    await rename(join(unfinished, 'package'), cached).catch(async (error: unknown) => {
      if ((await readdir(cached).catch(() => [])).length === 0) throw error;
    });
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return cached;
}

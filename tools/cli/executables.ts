import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { checkout } from '#tools/checkout.ts';
import { bundleExecutableStart } from '#tools/dist/bundle.ts';
import { copyPackages, fetchPackage, picturePackages } from '#tools/dist/native.ts';
import { SHIMS } from './program-files.ts';
import { signAdHoc } from './sign-mach-o.ts';

const run = promisify(execFile);

const SOURCE = 'config/executables.json';
const NodePackage = Type.Object({ name: Type.String(), integrity: Type.String() });

/**
 * The Node in the executables: its version, and its npm package for each target. Node of this version also
 * builds them, because the format of executables depends on the version.
 */
const Targets = Type.Object({
  version: Type.String(),
  packages: Type.Object({
    'linux-amd64': NodePackage,
    'linux-arm64': NodePackage,
    'darwin-amd64': NodePackage,
    'darwin-arm64': NodePackage,
  }),
});

export type Targets = Static<typeof Targets>;
export type Target = keyof Targets['packages'];

export function readTargets(): Targets {
  const { node } = Value.Parse(
    Type.Object({ node: Targets }),
    JSON.parse(readFileSync(join(checkout, SOURCE), 'utf8')),
  );
  return node;
}

export const isTarget = (text: string): text is Target =>
  Object.hasOwn(Targets.properties.packages.properties, text);

interface Folders {
  /** The folder with the program. */
  program: string;
  /** The folder that gets the executable. */
  folder: string;
}

/** Builds one executable: Node with the program in it. Returns its path. */
export async function buildExecutable(
  targets: Targets,
  target: Target,
  { program, folder }: Folders,
): Promise<string> {
  const result = join(folder, `millrace-${target}`);
  const workFolder = await mkdtemp(join(tmpdir(), 'millrace-executable-'));
  try {
    const [system, architecture] = systemAndArchitecture(target);
    const native = join(workFolder, 'node_modules');
    await copyPackages(picturePackages(system, architecture), native);
    const startScripts = await writeStartScripts(join(workFolder, 'starts'));
    await bundleExecutableStart(workFolder);
    const node = await nodeFor(targets, target);
    const assets = {
      ...(await assetsIn(program, '', system === 'linux' ? [] : SHIMS)),
      ...(await assetsIn(startScripts, '', [])),
      ...(await assetsIn(native, 'node_modules/', [])),
      'LICENSE-NODE': join(node, 'LICENSE'),
    };
    const digest = join(workFolder, 'digest');
    await writeFile(digest, await digestOf(assets));
    const configuration = join(workFolder, 'executable.json');
    await writeFile(
      configuration,
      JSON.stringify({
        main: join(workFolder, 'executable.cjs'),
        output: result,
        executable: join(node, 'bin/node'),
        disableExperimentalSEAWarning: true,
        assets: { ...assets, digest },
      }),
    );
    const builder = join(await nodeFor(targets, ownTarget()), 'bin/node');
    await run(builder, ['--build-sea', configuration], { env: { ...process.env, NODE_OPTIONS: '' } });
    if (system === 'darwin') await writeFile(result, signAdHoc(await readFile(result), 'millrace'));
    await chmod(result, 0o755);
  } finally {
    await rm(workFolder, { recursive: true });
  }
  return result;
}

/** Writes a script for each program, which imports the program; src/cli/executable.ts loads these scripts. */
async function writeStartScripts(folder: string): Promise<string> {
  await mkdir(folder);
  for (const name of ['millrace', 'hcl-host', 'images-worker'])
    await writeFile(join(folder, `start-${name}.cjs`), `void import('./${name}.js');\n`);
  return folder;
}

const systemAndArchitecture = (target: Target): readonly ['linux' | 'darwin', 'amd64' | 'arm64'] => [
  target.startsWith('darwin') ? 'darwin' : 'linux',
  target.endsWith('arm64') ? 'arm64' : 'amd64',
];

/** The target of this machine. */
export function ownTarget(): Target {
  const own = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
  if (!isTarget(own)) throw new Error(`executables cannot be built on ${own}`);
  return own;
}

async function nodeFor({ version, packages }: Targets, target: Target): Promise<string> {
  const { name, integrity } = packages[target];
  return await fetchPackage({ packageSpec: `${name}@${version}`, integrity, source: SOURCE });
}

/** The files below a folder: their names in the executable, with their paths. */
async function assetsIn(
  folder: string,
  prefix: string,
  excluded: readonly string[],
): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const named = files.map((file) => [relative(folder, file).split(sep).join('/'), file] as const);
  return Object.fromEntries(
    named.filter(([name]) => !excluded.includes(name)).map(([name, file]) => [`${prefix}${name}`, file]),
  );
}

/** A digest of all assets, which names the folder that an executable unpacks itself into. */
async function digestOf(assets: Readonly<Record<string, string>>): Promise<string> {
  const hash = createHash('sha256');
  for (const [name, file] of Object.entries(assets).toSorted(([left], [right]) => (left < right ? -1 : 1))) {
    const content = await readFile(file);
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex').slice(0, 32);
}

import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { imagesFolder, type Architecture, type Contents, type ImageContents } from './contents.ts';
import { findLayer, sha256, storeLayer, type Layer } from './layer.ts';

const run = promisify(execFile);

/**
 * The lowest layer: Debian packages, unpacked without running their scripts and finished by finish-root.ts.
 */
export async function debianLayer(
  contents: Contents,
  name: string,
  architecture: Architecture,
  refresh: boolean,
): Promise<Layer> {
  const image = contents.images[name];
  if (image === undefined) throw new Error(`images.json does not list ${name}`);
  const key = await keyOf(contents, image, architecture);
  const cached = refresh ? undefined : await findLayer('debian', key);
  if (cached !== undefined) return cached;
  await ensureMmdebstrap();
  const sources = await debianSources(contents.suite);
  const folder = await mkdtemp(join(tmpdir(), 'millrace-root-'));
  try {
    const statusFile = join(folder, 'skipped-dependencies');
    await writeFile(statusFile, image.skippedDependencies.map(installedStatus).join(''));
    const recipeFile = join(folder, 'image.json');
    await writeFile(recipeFile, JSON.stringify(image));
    return await storeLayer(
      'debian',
      key,
      bootstrap({ contents, image, architecture, sources, statusFile, recipeFile }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Everything that changes the layer changes its key, except updates in Debian: --refresh fetches those. */
async function keyOf(contents: Contents, image: ImageContents, architecture: Architecture): Promise<string> {
  const { user, packages, skippedDependencies, removedPaths } = image;
  const tools = await Promise.all(
    ['debian-layer.ts', 'finish-root.ts'].map((file) => readFile(join(imagesFolder, file), 'utf8')),
  );
  const { suite, epoch } = contents;
  const inputs = { user, packages, skippedDependencies, removedPaths, suite, epoch };
  return sha256(JSON.stringify([inputs, architecture, tools])).slice(0, 32);
}

async function ensureMmdebstrap(): Promise<void> {
  if (await isInstalled('mmdebstrap')) return;
  if (!(await isInstalled('apt-get'))) {
    throw new Error(
      'Images are made of Debian packages and this machine has no apt: build them with the Dockerfile.',
    );
  }
  if (process.getuid?.() !== 0) {
    throw new Error(
      'mmdebstrap is missing: install it with "apt-get install mmdebstrap", or run this as root.',
    );
  }
  await run('apt-get', ['update', '-q']);
  await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'mmdebstrap'], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
}

async function isInstalled(command: string): Promise<boolean> {
  try {
    await run(command, ['--version']);
    return true;
  } catch {
    return false;
  }
}

/** Debian archives of this machine as lines of a sources.list. */
async function debianSources(suite: string): Promise<string> {
  const known = pickDebian(await listSources(), suite);
  if (known.length > 0) return `${known.join('\n')}\n`;
  // A fresh machine has sources but no lists, and apt learns archives only from lists.
  if (process.getuid?.() === 0) await run('apt-get', ['update', '-q']);
  const lines = pickDebian(await listSources(), suite);
  if (lines.length > 0) return `${lines.join('\n')}\n`;
  throw new Error(
    `No Debian ${suite} source is set up and updated here: run "apt-get update" as root; ` +
      'on a machine of another kind build the images with the Dockerfile.',
  );
}

async function listSources(): Promise<string> {
  const format = '$(ORIGIN)|$(CODENAME)|deb $(REPO_URI) $(RELEASE) $(COMPONENT)';
  return (await run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages'])).stdout;
}

/** From lines "origin|codename|source line", the source lines of Debian's archives of this suite. */
export function pickDebian(listed: string, suite: string): readonly string[] {
  const rows = listed.split('\n').map((line) => line.split('|'));
  const own = rows.filter(([origin, codename]) => origin === 'Debian' && codename?.split('-')[0] === suite);
  return [...new Set(own.flatMap(([, , source]) => (source === undefined ? [] : [source])))];
}

/** A dpkg status entry that makes apt treat a package as installed. */
function installedStatus(name: string): string {
  return (
    `Package: ${name}\nStatus: install ok installed\nVersion: 1:999\nArchitecture: all\n` +
    'Multi-Arch: foreign\nMaintainer: none\nDescription: skipped\n\n'
  );
}

type Bootstrap = {
  readonly contents: Contents;
  readonly image: ImageContents;
  readonly architecture: Architecture;
  /** Lines of a sources.list. */
  readonly sources: string;
  /** Has the dpkg status entries of the skipped dependencies. */
  readonly statusFile: string;
  /** Has the list of the image's contents, for finish-root.ts. */
  readonly recipeFile: string;
};

async function* bootstrap({
  contents,
  image,
  architecture,
  sources,
  statusFile,
  recipeFile,
}: Bootstrap): AsyncGenerator<Uint8Array> {
  const finish = ['"$MILLRACE_NODE"', '"$MILLRACE_FINISH"', '"$MILLRACE_RECIPE"', '"$1"'].join(' ');
  const args = [
    '--quiet',
    '--variant=extract',
    '--format=tar',
    `--architectures=${architecture}`,
    '--setup-hook=/usr/share/mmdebstrap/hooks/merged-usr/setup00.sh',
    '--setup-hook=cat "$MILLRACE_SKIPPED" >> "$1/var/lib/dpkg/status"',
    '--skip=output/dev,cleanup',
    `--extract-hook=${finish}`,
    `--include=${image.packages.join(',')}`,
    contents.suite,
    '-',
    '-',
  ];
  const child = spawn('mmdebstrap', args, {
    env: {
      ...process.env,
      SOURCE_DATE_EPOCH: String(contents.epoch),
      MILLRACE_SKIPPED: statusFile,
      MILLRACE_NODE: process.execPath,
      MILLRACE_FINISH: join(imagesFolder, 'finish-root.ts'),
      MILLRACE_RECIPE: recipeFile,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints = `${complaints}${text}`.slice(-4000);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  child.stdin.end(sources);
  yield* child.stdout;
  const code = await ended;
  if (code !== 0) throw new Error(`mmdebstrap failed for ${architecture} (exit ${code}):\n${complaints}`);
}

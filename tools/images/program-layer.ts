import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { checkout } from '#tools/checkout.ts';
import { type Architecture, type Contents, type ImageContents } from './contents.ts';
import { findLayer, forgetLayers, sha256, storeLayer, type Layer } from './layer.ts';
import { fileEntry } from './node-layer.ts';
import { tar, type TarEntry } from './tar.ts';

/** The top layer: this project's files, links, and the folders that the image's user may write. */
export async function programLayer(
  contents: Contents,
  image: ImageContents,
  architecture: Architecture,
): Promise<Layer> {
  const entries = await programEntries(image, architecture);
  const digest = createHash('sha256');
  for await (const chunk of tar(entries, contents.epoch)) digest.update(chunk);
  const key = sha256(digest.digest()).slice(0, 32);
  const cached = await findLayer('program', key);
  if (cached !== undefined) return cached;
  const layer = await storeLayer('program', key, tar(entries, contents.epoch));
  await forgetLayers('program', 7);
  return layer;
}

/** Every file, link and folder of the layer, from the list. */
async function programEntries(
  image: ImageContents,
  architecture: Architecture,
): Promise<readonly TarEntry[]> {
  const owned = new Set([...image.directories, image.user.home].map((path) => path.slice(1)));
  owned.delete('tmp');
  // mmdebstrap leaves out /dev; container runtimes mount over it.
  const entries: TarEntry[] = [{ path: 'dev', mode: 0o755, kind: 'directory' }];
  for (const path of owned) entries.push({ path, mode: 0o775, owner: image.user.id, kind: 'directory' });
  for (const [path, target] of Object.entries(image.links)) {
    entries.push({ path: path.slice(1), mode: 0o777, kind: 'link', target });
  }
  for (const [to, from] of Object.entries(image.files)) {
    const pairs = typeof from === 'string' ? [[to, from] as const] : matchPatterns(to, from);
    for (const [target, source] of pairs) {
      entries.push(
        ...(await entriesOf(join(checkout, source.replace('{arch}', architecture)), target.slice(1))),
      );
    }
  }
  return entries;
}

/** The target and the source of each file or folder that matches a pattern. */
function matchPatterns(to: string, patterns: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: (readonly [string, string])[] = [];
  for (const pattern of patterns) {
    const matchingFiles = globSync(pattern, { cwd: checkout }).toSorted();
    if (matchingFiles.length === 0)
      throw new Error(`${pattern} is missing: run "node tools/dist/main.ts" first`);
    pairs.push(...matchingFiles.map((source) => [join(to, basename(source)), source] as const));
  }
  return pairs;
}

async function entriesOf(source: string, to: string): Promise<readonly TarEntry[]> {
  const fileStat = await stat(source).catch(() => undefined);
  if (fileStat === undefined) throw new Error(`${source} is missing: run "node tools/dist/main.ts" first`);
  if (fileStat.isFile()) return [await fileEntry(to, source, modeOf(fileStat.mode))];
  const entries: TarEntry[] = [];
  for (const name of await readdir(source, { recursive: true })) {
    const file = await stat(join(source, name));
    if (file.isFile()) entries.push(await fileEntry(join(to, name), join(source, name), modeOf(file.mode)));
  }
  return entries;
}

/** A checkout's file modes depend on the umask, except for "executable". */
function modeOf(mode: number): number {
  return (mode & 0o111) === 0 ? 0o644 : 0o755;
}

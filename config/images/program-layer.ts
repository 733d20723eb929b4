import { createHash } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { join, matchesGlob } from 'node:path';

import { type Architecture, checkout, type Contents, type Image } from './contents.ts';
import { findLayer, type Layer, sha256, storeLayer } from './layer.ts';
import { fileEntry } from './node-layer.ts';
import { tar, type TarEntry } from './tar.ts';

/** The uppermost, small layer: what this project itself puts into an image, and the folders that the image's user may write. */
export async function programLayer(
  contents: Contents,
  image: Image,
  architecture: Architecture,
): Promise<Layer> {
  const entries = await programEntries(image, architecture);
  const digest = createHash('sha256');
  for await (const chunk of tar(entries, contents.epoch)) digest.update(chunk);
  const key = sha256(digest.digest()).slice(0, 32);
  return (
    (await findLayer('program', key)) ?? (await storeLayer('program', key, tar(entries, contents.epoch)))
  );
}

/** Every file and folder of the layer, by the list's `files`, `skip`, `directories` and the user's home. */
export async function programEntries(image: Image, architecture: Architecture): Promise<readonly TarEntry[]> {
  const owned = new Set([...image.directories, image.user.home].map((path) => path.slice(1)));
  owned.delete('tmp');
  // mmdebstrap leaves /dev out whole; a runtime mounts over it and should not have to make it.
  const entries: TarEntry[] = [{ path: 'dev', mode: 0o755, kind: 'directory' }];
  for (const path of owned) entries.push({ path, mode: 0o775, owner: image.user.id, kind: 'directory' });
  for (const [to, from] of Object.entries(image.files)) {
    const source = join(checkout, from.replace('{arch}', architecture));
    entries.push(...(await entriesOf(source, to.slice(1), image.skip)));
  }
  return entries;
}

async function entriesOf(source: string, to: string, skip: readonly string[]): Promise<readonly TarEntry[]> {
  const found = await stat(source).catch(() => undefined);
  if (found === undefined) throw new Error(`${source} is missing: run "node config/dist/main.ts" first`);
  if (found.isFile()) return [await fileEntry(to, source, modeOf(to, found.mode))];
  const entries: TarEntry[] = [];
  for (const name of await readdir(source, { recursive: true })) {
    const file = await stat(join(source, name));
    if (!file.isFile() || skipped(name, skip)) continue;
    entries.push(await fileEntry(join(to, name), join(source, name), modeOf(name, file.mode)));
  }
  return entries;
}

/** A pattern leaves out what it matches, and everything below a folder that it matches. */
function skipped(path: string, skip: readonly string[]): boolean {
  const parts = path.split('/');
  return skip.some((pattern) => parts.some((part) => matchesGlob(part, pattern)));
}

function modeOf(path: string, mode: number): number {
  return (mode & 0o111) !== 0 || path.endsWith('/millrace-shim') ? 0o755 : 0o644;
}

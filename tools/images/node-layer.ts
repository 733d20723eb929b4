import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packPackage } from '#tools/npm/pack-package.ts';
import type { Architecture, Contents } from './contents.ts';
import { findLayer, layerCache, storeLayer, type Layer } from './layer.ts';
import { tar, type TarEntry } from './tar.ts';

const run = promisify(execFile);

/** The layer with Node.js from the npm package that the checkout uses too; the list pins its digest. */
export async function nodeLayer(contents: Contents, architecture: Architecture): Promise<Layer> {
  const { version, packages } = contents.node;
  const { name, integrity } = packages[architecture];
  const key = `${version}-${architecture}-${contents.epoch}`;
  const cached = await findLayer('node', key);
  if (cached !== undefined) return cached;
  await mkdir(layerCache(), { recursive: true });
  const folder = await mkdtemp(join(layerCache(), 'node-'));
  try {
    const packageSpec = `${name}@${version}`;
    const archive = await packPackage({ packageSpec, integrity, source: 'config/images.json' }, folder);
    await run('tar', ['-xzf', archive, '-C', folder, 'package/bin/node', 'package/LICENSE']);
    const entries = [
      await fileEntry('usr/local/bin/node', join(folder, 'package/bin/node'), 0o755),
      await fileEntry('usr/share/doc/nodejs/copyright', join(folder, 'package/LICENSE'), 0o644),
    ];
    return await storeLayer('node', key, tar(entries, contents.epoch));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** A file on disk as an entry of a layer. */
export async function fileEntry(path: string, source: string, mode: number): Promise<TarEntry> {
  const { size } = await stat(source);
  return { path, mode, kind: 'file', size, read: () => createReadStream(source) };
}

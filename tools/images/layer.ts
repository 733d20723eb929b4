import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { Type, type Static } from 'typebox';
import { Value } from 'typebox/value';
import { cacheRoot } from '#tools/cache-root.ts';

const Layer = Type.Object({
  /** "debian", "node" or "program". */
  name: Type.String(),
  /** Digest of the uncompressed tar, used in the image's configuration. */
  diffId: Type.String(),
  /** Digest of the compressed file, used by registries. */
  digest: Type.String(),
  /** Bytes of the compressed file. */
  size: Type.Integer(),
  /** Bytes of the uncompressed tar. */
  unpacked: Type.Integer(),
  file: Type.String(),
});

/** A compressed layer in the cache. */
export type Layer = Static<typeof Layer>;

/** The folder of cached layers and of crane, outside the checkout, so that a fresh clone finds them. */
export function layerCache(): string {
  return join(cacheRoot(), 'images');
}

export function sha256(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Finds a layer by its name and key; undefined if it has to be built. */
export async function findLayer(name: string, key: string): Promise<Layer | undefined> {
  const stem = join(layerCache(), 'layers', `${name}-${key}`);
  try {
    const layer = Value.Parse(Layer, JSON.parse(await readFile(`${stem}.json`, 'utf8')));
    const { size } = await stat(layer.file);
    return size === layer.size ? layer : undefined;
  } catch {
    return undefined;
  }
}

/** Compresses a tar into the cache under its key, atomically. */
export async function storeLayer(name: string, key: string, tar: AsyncIterable<Uint8Array>): Promise<Layer> {
  const folder = join(layerCache(), 'layers');
  await mkdir(folder, { recursive: true });
  const stem = join(folder, `${name}-${key}`);
  const partial = `${stem}.${randomUUID()}.partial`;
  const [plain, packed] = [createHash('sha256'), createHash('sha256')];
  const sizes = { plain: 0, packed: 0 };
  try {
    await pipeline(
      tar,
      tap((chunk) => {
        plain.update(chunk);
        sizes.plain += chunk.length;
      }),
      createGzip({ level: 6 }),
      tap((chunk) => {
        packed.update(chunk);
        sizes.packed += chunk.length;
      }),
      createWriteStream(partial),
    );
    await rename(partial, `${stem}.tar.gz`);
  } finally {
    await rm(partial, { force: true });
  }
  const layer: Layer = {
    name,
    diffId: `sha256:${plain.digest('hex')}`,
    digest: `sha256:${packed.digest('hex')}`,
    size: sizes.packed,
    unpacked: sizes.plain,
    file: `${stem}.tar.gz`,
  };
  await writeFile(partial, JSON.stringify(layer));
  await rename(partial, `${stem}.json`);
  return layer;
}

const DAY_MS = 24 * 3600 * 1000;

/**
 * Removes layers of this name that were stored more than this many days ago: each change of the program
 * leaves one behind.
 */
export async function forgetLayers(name: string, olderThanDays: number): Promise<void> {
  const folder = join(layerCache(), 'layers');
  const oldest = Date.now() - olderThanDays * DAY_MS;
  for (const file of await readdir(folder)) {
    const path = join(folder, file);
    if (!file.startsWith(`${name}-`)) continue;
    const { mtimeMs } = await stat(path);
    if (mtimeMs < oldest) await rm(path, { force: true });
  }
}

function tap(onChunk: (chunk: Uint8Array) => void) {
  return async function* pass(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      onChunk(chunk);
      yield chunk;
    }
  };
}

import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { archiveEntries, imageConfig } from './archive.ts';
import type { Architecture, Contents } from './contents.ts';
import { debianLayer } from './debian-layer.ts';
import type { Layer } from './layer.ts';
import { nodeLayer } from './node-layer.ts';
import { programLayer } from './program-layer.ts';
import { tar } from './tar.ts';

export type BuiltImage = {
  readonly name: string;
  readonly architecture: Architecture;
  readonly config: string;
  readonly layers: readonly Layer[];
};

/** Builds the layers of one image for one architecture, or takes them from the cache. */
export async function buildImage(
  contents: Contents,
  name: string,
  architecture: Architecture,
  refresh: boolean,
): Promise<BuiltImage> {
  const image = contents.images[name];
  if (image === undefined) {
    throw new Error(`There is no image "${name}"; there are ${Object.keys(contents.images).join(', ')}.`);
  }
  // The top layer is built first, because the program may be missing and the other layers take long.
  const program = await programLayer(contents, image, architecture);
  const layers = [
    await debianLayer(contents, name, architecture, refresh),
    ...(image.node ? [await nodeLayer(contents, architecture)] : []),
    program,
  ];
  return { name, architecture, layers, config: imageConfig(image, architecture, layers, contents.epoch) };
}

/** Writes FOLDER/NAME-ARCH.tar unless the stamp beside it names the same content. Returns its path. */
export async function writeArchive(
  epoch: number,
  built: BuiltImage,
  tag: string,
  folder: string,
): Promise<string> {
  const file = join(folder, `${built.name}-${built.architecture}.tar`);
  const reference = `localhost/${built.name}:${tag}`;
  const entries = await archiveEntries(reference, built.config, built.layers);
  const stamp = JSON.stringify(entries.map(({ path }) => path).concat(reference));
  const writtenStamp = await readFile(`${file}.json`, 'utf8').catch(() => '');
  if (writtenStamp === stamp) return file;
  await mkdir(folder, { recursive: true });
  await writeFile(`${file}.json`, '');
  await pipeline(tar(entries, epoch), createWriteStream(`${file}.partial`));
  await rename(`${file}.partial`, file);
  await writeFile(`${file}.json`, stamp);
  return file;
}

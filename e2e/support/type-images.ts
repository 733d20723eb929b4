import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binaryPath, foldersFrom } from '#tools/cluster/folders.ts';
import { containerdSocket } from '#tools/cluster/node-config.ts';
import { buildImage, writeArchive } from '#tools/images/build.ts';
import { readContents } from '#tools/images/contents.ts';
import { runOrThrow } from './command.ts';

/**
 * Loads images with the programs of `e2e/foreign-types` into the node. Each image has its program in
 * `/opt/resource`, on top of the Debian packages of the image `millrace`. The build of the installation has
 * put the layer with these packages into the cache. Returns the names by type.
 */
export async function loadTypeImages(types: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { images, ...contents } = readContents();
  const worker = images['millrace'];
  if (worker === undefined) throw new Error('config/images.json lacks the image millrace');
  const folders = foldersFrom(process.env);
  const ctr = ['--address', containerdSocket(folders), '--namespace', 'k8s.io', 'images', 'import'];
  const out = await mkdtemp(join(tmpdir(), 'millrace-types-'));
  const names = new Map<string, string>();
  try {
    for (const type of types) {
      const image = { ...worker, node: false, files: { '/opt/resource': `e2e/foreign-types/${type}` } };
      const name = `millrace-type-${type}`;
      const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
      const built = await buildImage({ ...contents, images: { [name]: image } }, name, architecture, false);
      await runOrThrow(binaryPath(folders, 'ctr'), [
        ...ctr,
        await writeArchive(contents.epoch, built, 'e2e', out),
      ]);
      names.set(type, `localhost/${name}:e2e`);
    }
    return names;
  } finally {
    await rm(out, { recursive: true, force: true });
  }
}

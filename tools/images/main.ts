import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { checkout } from '#tools/checkout.ts';
import { buildImage, writeArchive, type BuiltImage } from './build.ts';
import { isArchitecture, readContents, type Architecture } from './contents.ts';
import { dockerfile } from './dockerfile.ts';
import { pushImage } from './push.ts';

const usage = `Usage: node tools/images/main.ts [--arch amd64,arm64] [--push REGISTRY/PREFIX [--insecure]] [--refresh]
       [--out FOLDER] [NAME…]

Builds the images of config/images.json without a container engine, as archives in dist/images/ or FOLDER:
  ctr -n k8s.io images import FILE     docker load -i FILE     kind load image-archive FILE
The tag is $IMAGE_TAG (dev). --push sends REGISTRY/PREFIX/NAME:TAG, both architectures unless --arch says otherwise.
--refresh fetches Debian's packages again; without it the base comes from the cache.
--dockerfile prints the Dockerfile that builds the same images with an engine.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    arch: { type: 'string' },
    out: { type: 'string', default: join(checkout, 'dist', 'images') },
    push: { type: 'string' },
    insecure: { type: 'boolean', default: false },
    refresh: { type: 'boolean', default: false },
    dockerfile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

try {
  if (values.help) console.log(usage);
  else if (values.dockerfile) process.stdout.write(dockerfile(readContents()));
  else await main();
} catch (error) {
  console.error(Error.isError(error) ? error.message : error);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const contents = readContents();
  const tag = process.env['IMAGE_TAG'] ?? 'dev';
  const names = positionals.length > 0 ? positionals : Object.keys(contents.images);
  const architectures = requestedArchitectures();
  console.log(
    `${'image'.padEnd(18)} ${'arch'.padEnd(6)} ${'packed'.padStart(8)} ${'unpacked'.padStart(9)}  archive`,
  );
  for (const name of names) {
    const builds: BuiltImage[] = [];
    for (const architecture of architectures) {
      const built = await buildImage(contents, name, architecture, values.refresh);
      builds.push(built);
      console.log(
        describeImage(
          built,
          relative(process.cwd(), await writeArchive(contents.epoch, built, tag, values.out)),
        ),
      );
    }
    if (values.push !== undefined) {
      const reference = `${values.push.replace(/\/$/, '')}/${name}:${tag}`;
      console.log(`pushed ${await pushImage(reference, builds, values.insecure)}`);
    }
  }
}

function requestedArchitectures(): readonly Architecture[] {
  const own = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const requested = (values.arch ?? (values.push === undefined ? own : 'amd64,arm64')).split(',');
  const unknown = requested.find((text) => !isArchitecture(text));
  if (unknown !== undefined) throw new Error(`--arch ${unknown}: images are built for amd64 and arm64.`);
  return requested.filter(isArchitecture);
}

function describeImage({ name, architecture, layers }: BuiltImage, file: string): string {
  const total = (size: 'size' | 'unpacked') => layers.reduce((sum, layer) => sum + layer[size], 0);
  const sizes = `${megabytes(total('size')).padStart(8)} ${megabytes(total('unpacked')).padStart(9)}`;
  return `${name.padEnd(18)} ${architecture.padEnd(6)} ${sizes}  ${file}`;
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

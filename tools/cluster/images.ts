import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { architecture, binaryPath, type Folders } from './folders.ts';
import { run } from './run.ts';
import { tools } from './versions.ts';

/** Image of the process that holds a Pod's namespaces. */
export const pauseImage = 'localhost/pause:1';

/** The image of the cluster's DNS server. */
export const dnsImage = `localhost/coredns:${tools.find((tool) => tool.name === 'coredns')?.version.slice(1)}`;

/** Content of an image: `fill` writes its root folder, `entrypoint` is its command. */
export type Content = {
  readonly name: string;
  readonly fill: (root: string) => void | Promise<void>;
  readonly entrypoint: readonly string[];
  readonly user: string;
};

/** Creates the cluster's two images as tar files if they do not exist. Returns the files. */
export async function ensureImages(folders: Folders): Promise<string[]> {
  mkdirSync(folders.images, { recursive: true });
  const recipe = readFileSync(join(dirname(binaryPath(folders, 'coredns')), 'recipe'), 'utf8');
  const pause = join(folders.images, 'pause-1.tar');
  const dns = join(folders.images, `coredns-${recipe.slice(0, 16)}.tar`);
  if (!existsSync(pause)) {
    await writePauseImage(pause);
  }
  if (!existsSync(dns)) {
    await writeImage(dns, program(dnsImage, binaryPath(folders, 'coredns'), '65532:65532'));
  }
  return [pause, dns];
}

async function writePauseImage(file: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-pause-'));
  try {
    const binary = join(folder, 'pause');
    const source = join(import.meta.dirname, 'pause.c');
    await run('gcc', ['-Os', '-static', '-s', '-Wall', '-Werror', '-o', binary, source]);
    await writeImage(file, program(pauseImage, binary, '65535:65535'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function program(name: string, binary: string, user: string): Content {
  const fill = (root: string): void => copyFileSync(binary, join(root, basename(binary)));
  return { name, fill, entrypoint: [`/${basename(binary)}`], user };
}

/** Writes a docker-archive with one layer, its configuration and the manifest. */
export async function writeImage(file: string, content: Content): Promise<void> {
  const folder = mkdtempSync(join(dirname(file), '.image-'));
  try {
    const root = join(folder, 'root');
    mkdirSync(root);
    await content.fill(root);
    await tar(join(folder, 'layer.tar'), root, ['.']);
    const config = {
      architecture,
      os: 'linux',
      config: { Entrypoint: content.entrypoint, User: content.user, WorkingDir: '/' },
      rootfs: { type: 'layers', diff_ids: [`sha256:${digestOf(join(folder, 'layer.tar'))}`] },
      history: [{ created_by: 'millrace' }],
    };
    writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
    const manifest = [{ Config: 'config.json', RepoTags: [content.name], Layers: ['layer.tar'] }];
    writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
    await tar(join(folder, 'image.tar'), folder, ['manifest.json', 'config.json', 'layer.tar']);
    renameSync(join(folder, 'image.tar'), file);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function tar(file: string, folder: string, names: readonly string[]): Promise<void> {
  const reproducible = [
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '--mtime=@0',
    '--sort=name',
    '--format=ustar',
  ];
  await run('tar', ['-C', folder, ...reproducible, '-cf', file, ...names]);
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout } from '#tools/checkout.ts';
import { isExisting } from '#tools/cluster/existing.ts';
import { explained } from '#tools/cluster/explain.ts';
import { run, tryRun } from '#tools/cluster/run.ts';
import { clusterEnvironment, stream, streamTool } from './cluster-commands.ts';

/** The images for an installation. */
export interface LoadedImages {
  /** Prefix of `/millrace:dev`: `localhost`, or a registry and path. */
  prefix: string;
  /**
   * Digest of the images for this machine's architecture. It changes the Pods' template, so that Pods with an
   * unchanged tag are replaced.
   */
  digest: string;
}

/**
 * Builds the program and its images, and loads them into the cluster or pushes them to the registry of $PUSH.
 */
export async function buildAndLoadImages(
  onLine: (text: string) => void,
  signal?: AbortSignal,
): Promise<LoadedImages> {
  const push = process.env['PUSH'] ?? '';
  await streamTool('tools/dist/main.ts', [], onLine, signal);
  await streamTool('tools/images/main.ts', push === '' ? [] : ['--push', push], onLine, signal);
  const files = await archives();
  if (push === '') await load(files, onLine, signal);
  return { prefix: push === '' ? 'localhost' : push.replace(/\/$/, ''), digest: await digestOf(files) };
}

async function archives(): Promise<string[]> {
  const folder = join(checkout, 'dist', 'images');
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
  const names = (await readdir(folder)).filter((name) => name.endsWith(`-${architecture}.tar`)).toSorted();
  return names.map((name) => join(folder, name));
}

async function load(
  files: readonly string[],
  onLine: (text: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (!isExisting(process.env)) {
    await streamTool('tools/cluster/main.ts', ['load', ...files], onLine, signal);
    return;
  }
  const context = (await run('kubectl', ['config', 'current-context'], { env: clusterEnvironment() })).trim();
  const [, tool = '', name = ''] = /^(kind|k3d)-(.+)$/.exec(context) ?? [];
  if (tool === '' || (await tryRun(tool, ['version'])) === undefined) {
    throw explained(
      `CLUSTER=existing: the nodes of context "${context}" need the images. ` +
        'Give a registry that they read: PUSH=<registry>/<path>.',
    );
  }
  for (const file of files) {
    const args =
      tool === 'kind' ? ['load', 'image-archive', '--name', name] : ['image', 'import', '-c', name];
    await stream(tool, [...args, file], onLine, signal);
  }
}

/** A digest of the images. The stamp file beside each archive lists the digests of the image's parts. */
async function digestOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const file of files) hash.update(await readFile(`${file}.json`));
  return hash.digest('hex').slice(0, 16);
}

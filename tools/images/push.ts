import { execFile } from 'node:child_process';
import { access, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { layoutFiles } from './archive.ts';
import { imagesFolder } from './contents.ts';
import { layerCache, sha256 } from './layer.ts';

const run = promisify(execFile);

/**
 * Pushes one image for the built architectures. crane finds the credentials, by default in
 * ~/.docker/config.json.
 */
export async function pushImage(
  reference: string,
  builds: Parameters<typeof layoutFiles>[0],
  insecure: boolean,
): Promise<string> {
  const crane = await craneBinary();
  const folder = await mkdtemp(join(layerCache(), 'push-'));
  try {
    for (const [path, content] of await layoutFiles(builds)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await (Buffer.isBuffer(content) ? writeFile(file, content) : link(content.file, file));
    }
    const flags = insecure ? ['--insecure'] : [];
    const { stdout } = await run(crane, ['push', '--index', ...flags, folder, reference]);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** crane, built once from the module beside this file and cached by its versions. */
export async function craneBinary(): Promise<string> {
  const module = join(imagesFolder, 'crane');
  const pins = await Promise.all(['go.mod', 'go.sum'].map((file) => readFile(join(module, file), 'utf8')));
  const binary = join(layerCache(), `crane-${sha256(pins.join('\n')).slice(0, 16)}`);
  if (await exists(binary)) return binary;
  await mkdir(layerCache(), { recursive: true });
  const partial = `${binary}.${process.pid}.partial`;
  const build = ['build', '-trimpath', '-ldflags', '-s -w', '-o', partial];
  await run('go', [...build, 'github.com/google/go-containerregistry/cmd/crane'], {
    cwd: module,
    env: { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-mod=readonly -buildvcs=false' },
  });
  await rename(partial, binary);
  return binary;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch {
    return false;
  }
}

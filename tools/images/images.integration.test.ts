import { execFile, spawn, type ExecFileOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readContents } from './contents.ts';
import { craneBinary } from './push.ts';

const run = promisify(execFile);
const name = 'millrace-busybox';
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'images-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** Builds the smallest image, with the cache in this folder. */
async function build(cache: string, ...args: readonly string[]): Promise<string> {
  const main = join(import.meta.dirname, 'main.ts');
  const options: ExecFileOptions = {
    env: { ...process.env, MILLRACE_CACHE: join(folder, cache), NODE_OPTIONS: '' },
  };
  const { stdout } = await run(
    process.execPath,
    [main, '--out', join(folder, cache, 'out'), ...args, name],
    options,
  );
  return String(stdout);
}

async function unpack(archive: string): Promise<string> {
  const root = `${archive}.root`;
  await mkdir(root);
  const { stdout } = await run('tar', ['-xOf', archive, 'manifest.json']);
  const [manifest] = JSON.parse(stdout);
  for (const layer of manifest.Layers) {
    await run('sh', ['-c', 'tar -xOf "$0" "$1" | tar -xz --no-same-owner -C "$2"', archive, layer, root]);
  }
  return root;
}

describe('an image built without an engine', () => {
  test('is reproducible, for both architectures, and contains what its list says', async () => {
    const printed = await build('one', '--arch', 'amd64,arm64');
    expect(printed).toMatch(/millrace-busybox +arm64 +[\d.]+ MB +[\d.]+ MB/);
    await build('two', '--arch', 'amd64,arm64');
    for (const architecture of ['amd64', 'arm64']) {
      const file = `out/${name}-${architecture}.tar`;
      const [first, second] = ['one', 'two'].map((cache) => readFileSync(join(folder, cache, file)));
      expect(first?.equals(second ?? Buffer.alloc(0))).toBe(true);
    }

    const root = await unpack(join(folder, 'one/out', `${name}-arm64.tar`));
    const privileged = await run('find', [root, '-perm', '/6000']);
    expect(privileged.stdout).toBe('');
    expect(readFileSync(join(root, 'etc/passwd'), 'utf8')).toContain('busybox:x:65532:65532:');
    expect(await readdir(join(root, 'usr/share/doc/busybox-static'))).toEqual(['copyright']);
    expect(await readdir(join(root, 'var/lib/dpkg/status.d'))).toEqual(['base-files', 'busybox-static']);
    expect(await readdir(join(root, 'etc'))).not.toEqual(
      expect.arrayContaining(['apt', 'hostname', 'resolv.conf']),
    );
    const program = await run('file', ['--brief', join(root, 'usr/bin/busybox')]).catch(() => undefined);
    if (program !== undefined) expect(program.stdout).toContain('aarch64');
  }, 600_000);

  test('has links only to applets that busybox has', async () => {
    const root = join(folder, 'one/out', `${name}-arm64.tar.root`);
    const text = readFileSync(join(root, 'usr/bin/busybox')).toString('latin1');
    const links = Object.keys(readContents().images[name]?.links ?? {}).map((path) =>
      path.replace('/usr/bin/', ''),
    );
    expect(links.filter((applet) => !text.includes(`\0${applet}\0`))).toEqual([]);
  });

  test('is pushed to a registry under one name for both architectures', async () => {
    const crane = await craneBinary();
    const registry = spawn(crane, ['registry', 'serve', '--address', '127.0.0.1:0']);
    try {
      const port = await portOf(registry);
      await build('one', '--arch', 'amd64,arm64', '--push', `127.0.0.1:${port}/team`);
      const reference = `127.0.0.1:${port}/team/${name}:dev`;
      await run(crane, ['validate', '--remote', reference]);
      const { stdout } = await run(crane, ['manifest', reference]);
      const index = JSON.parse(stdout);
      expect(
        index.manifests.map((entry: { platform: { architecture: string } }) => entry.platform.architecture),
      ).toEqual(['amd64', 'arm64']);
    } finally {
      registry.kill();
    }
  }, 600_000);
});

function portOf(registry: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    registry.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const port = /serving on port (?<port>\d+)\n/.exec(output)?.groups?.['port'];
      if (port !== undefined) resolve(port);
    });
    registry.once('exit', () => reject(new Error(`the registry did not start: ${output}`)));
  });
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { archiveEntries, imageConfig, layoutFiles } from './archive.ts';
import { readContents } from './contents.ts';
import { sha256, type Layer } from './layer.ts';
import type { TarEntry } from './tar.ts';

const folder = mkdtempSync(join(tmpdir(), 'archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

const postgres = readContents().images['millrace-postgres'];
if (postgres === undefined) throw new Error('config/images.json has no image millrace-postgres');

function layer(name: string): Layer {
  const file = join(folder, name);
  const packed = `packed ${name}`;
  writeFileSync(file, packed);
  const digest = `sha256:${sha256(packed)}`;
  return { name, file, digest, diffId: `sha256:${sha256(name)}`, size: packed.length, unpacked: 1 };
}

const layers = [layer('debian'), layer('program')];
const config = imageConfig(postgres, 'arm64', layers, 0);

describe('an image', () => {
  test('has the runtime user, environment, entrypoint, stop signal and layers', () => {
    expect(JSON.parse(config)).toMatchObject({
      architecture: 'arm64',
      os: 'linux',
      created: '1970-01-01T00:00:00.000Z',
      config: {
        User: '999:999',
        Env: expect.arrayContaining([
          'HOME=/var/lib/postgresql',
          'PATH=/usr/local/bin:/usr/bin:/usr/lib/postgresql/15/bin',
        ]),
        Entrypoint: ['/usr/local/bin/millrace-postgres'],
        StopSignal: 'SIGINT',
        ExposedPorts: { '5432/tcp': {} },
      },
      rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    });
  });

  test('becomes a docker-archive whose manifest names the files beside it, lowest layer first', async () => {
    const entries = await archiveEntries('localhost/x:dev', config, layers);
    const [manifestOfArchive] = JSON.parse(await textOf(entries, 'manifest.json'));
    expect(manifestOfArchive.RepoTags).toEqual(['localhost/x:dev']);
    expect(manifestOfArchive.Config).toBe(`${sha256(config)}.json`);
    expect(manifestOfArchive.Layers).toEqual(layers.map(({ digest }) => `${digest.slice(7)}.tar.gz`));
    const paths = entries.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining([manifestOfArchive.Config, ...manifestOfArchive.Layers]));
  });

  test('becomes an OCI layout whose index lists the manifest of each architecture by digest and size', async () => {
    const files = await layoutFiles([
      { architecture: 'amd64', config, layers },
      { architecture: 'arm64', config, layers: layers.slice(0, 1) },
    ]);
    const blobOf = (path: string) => {
      const bytes = files.get(path);
      if (!Buffer.isBuffer(bytes)) throw new Error(`no ${path}`);
      return bytes;
    };
    const index = JSON.parse(blobOf('index.json').toString('utf8'));
    expect(index.manifests.map((entry: { platform: unknown }) => entry.platform)).toEqual([
      { os: 'linux', architecture: 'amd64' },
      { os: 'linux', architecture: 'arm64' },
    ]);
    for (const { digest, size } of index.manifests) {
      const bytes = blobOf(`blobs/sha256/${digest.slice(7)}`);
      expect([sha256(bytes), bytes.length]).toEqual([digest.slice(7), size]);
      const manifest = JSON.parse(bytes.toString('utf8'));
      for (const part of [manifest.config, ...manifest.layers]) {
        expect(files.has(`blobs/sha256/${part.digest.slice(7)}`)).toBe(true);
      }
    }
  });
});

async function textOf(entries: readonly TarEntry[], path: string): Promise<string> {
  const entry = entries.find((candidate) => candidate.path === path);
  if (entry?.kind !== 'file') throw new Error(`no file ${path}`);
  let text = '';
  for await (const chunk of entry.read()) text += Buffer.from(chunk).toString('utf8');
  return text;
}

import { defaultPath, type Architecture, type ImageContents } from './contents.ts';
import { sha256, type Layer } from './layer.ts';
import { fileEntry } from './node-layer.ts';
import type { TarEntry } from './tar.ts';

/** OCI image configuration. */
export function imageConfig(
  image: ImageContents,
  architecture: Architecture,
  layers: readonly Layer[],
  epoch: number,
): string {
  const created = new Date(epoch * 1000).toISOString();
  const env = { PATH: defaultPath, HOME: image.user.home, ...image.env };
  return JSON.stringify({
    created,
    architecture,
    os: 'linux',
    config: {
      User: `${image.user.id}:${image.user.id}`,
      Env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
      WorkingDir: image.workdir,
      ...(image.entrypoint.length > 0 ? { Entrypoint: image.entrypoint } : { Cmd: ['/bin/sh'] }),
      ...(image.ports.length > 0
        ? { ExposedPorts: Object.fromEntries(image.ports.map((port) => [`${port}/tcp`, {}])) }
        : {}),
      StopSignal: image.stopSignal,
      Labels: {
        'org.opencontainers.image.title': 'millrace',
        'org.opencontainers.image.description': image.about,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map((layer) => layer.diffId) },
    history: layers.map((layer) => ({ created, created_by: `millrace ${layer.name}` })),
  });
}

/** Files of a docker-archive, for "docker load", "ctr images import" and "kind load image-archive". */
export async function archiveEntries(
  reference: string,
  config: string,
  layers: readonly Layer[],
): Promise<readonly TarEntry[]> {
  const names = layers.map((layer) => `${hex(layer.digest)}.tar.gz`);
  const configName = `${sha256(config)}.json`;
  const manifest = JSON.stringify([{ Config: configName, RepoTags: [reference], Layers: names }]);
  const blobs = layers.map((layer) => fileEntry(`${hex(layer.digest)}.tar.gz`, layer.file, 0o644));
  return [...(await Promise.all(blobs)), textEntry(configName, config), textEntry('manifest.json', manifest)];
}

type ImageOfArchitecture = {
  readonly architecture: Architecture;
  readonly config: string;
  readonly layers: readonly Layer[];
};

/**
 * An OCI image layout for several architectures: blobs by digest, the index, and the version of the layout.
 */
export async function layoutFiles(
  builds: readonly ImageOfArchitecture[],
): Promise<ReadonlyMap<string, Buffer | Layer>> {
  const files = new Map<string, Buffer | Layer>();
  const manifests = builds.map((image) => {
    for (const layer of image.layers) files.set(blob(layer.digest), layer);
    const config = addBlob(files, image.config);
    const manifest = addBlob(
      files,
      JSON.stringify({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
        layers: image.layers.map(({ digest, size }) => ({
          mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
          digest,
          size,
        })),
      }),
    );
    const platform = { os: 'linux', architecture: image.architecture };
    return { mediaType: 'application/vnd.oci.image.manifest.v1+json', ...manifest, platform };
  });
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests };
  files.set('index.json', Buffer.from(JSON.stringify(index)));
  files.set('oci-layout', Buffer.from('{"imageLayoutVersion":"1.0.0"}'));
  return files;
}

function addBlob(files: Map<string, Buffer | Layer>, text: string) {
  const digest = `sha256:${sha256(text)}`;
  const bytes = Buffer.from(text);
  files.set(blob(digest), bytes);
  return { digest, size: bytes.length };
}

function blob(digest: string): string {
  return `blobs/sha256/${hex(digest)}`;
}

function hex(digest: string): string {
  return digest.replace('sha256:', '');
}

function textEntry(path: string, text: string): TarEntry {
  const bytes = Buffer.from(text);
  return { path, mode: 0o644, kind: 'file', size: bytes.length, read: () => [bytes] };
}

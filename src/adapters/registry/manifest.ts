import type { ImageConfiguration } from '#domain/planning/entrypoint.ts';
import { isObject } from './registry-session.ts';

/** The manifest of one image (`configuration` is a digest), or a list of images by platform. */
export type ImageManifest =
  | { kind: 'image'; configuration: string }
  | { kind: 'list'; images: { digest: string; os: string; architecture: string; variant: string }[] };

/** Media types of manifests that this program reads, for the `Accept` header of a registry request. */
export const MANIFEST_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/** Returns undefined if the JSON is neither an image nor a list. */
export function readManifest(json: Record<string, unknown>): ImageManifest | undefined {
  const { manifests, config } = json;
  if (Array.isArray(manifests)) return { kind: 'list', images: manifests.flatMap(readListEntry) };
  const configuration = isObject(config) ? digestIn(config) : undefined;
  return configuration === undefined ? undefined : { kind: 'image', configuration };
}

function readListEntry(entry: unknown): (ImageManifest & { kind: 'list' })['images'] {
  if (!isObject(entry)) return [];
  const digest = digestIn(entry);
  const platform = isObject(entry['platform']) ? entry['platform'] : {};
  const { os, architecture, variant } = platform;
  if (digest === undefined || typeof os !== 'string' || typeof architecture !== 'string') return [];
  return [{ digest, os, architecture, variant: typeof variant === 'string' ? variant : '' }];
}

/**
 * Returns the digest of the image for Linux on this architecture. Of several variants, takes the one without
 * a name or `v8`, otherwise the first. Returns undefined if there is none.
 */
export function digestForArchitecture(
  { images }: ImageManifest & { kind: 'list' },
  architecture: string,
): string | undefined {
  const candidates = images.filter((image) => image.os === 'linux' && image.architecture === architecture);
  const usual = candidates.find(({ variant }) => variant === '' || variant === 'v8');
  return (usual ?? candidates[0])?.digest;
}

const digestIn = ({ digest }: Record<string, unknown>): string | undefined =>
  typeof digest === 'string' && isDigest(digest) ? digest : undefined;

/** `sha256:` and 64 hexadecimal digits. */
export const isDigest = (text: string): boolean => /^sha256:[0-9a-f]{64}$/.test(text);

/** Limit of a manifest and of a configuration, as the specification recommends. */
export const MAX_MANIFEST_BYTES = 4 * 1024 * 1024;
/** Limit of entrypoint, command and working directory together. The kernel refuses an argument of 128 KiB. */
export const MAX_ENTRYPOINT_BYTES = 128 * 1024;

/** Reads an image's configuration (OCI image specification, `config`). `fault` says what is wrong with it. */
export function readConfiguration(json: Record<string, unknown>): ImageConfiguration | { fault: string } {
  const config = isObject(json['config']) ? json['config'] : {};
  const entrypoint = argumentsIn(config['Entrypoint']);
  const cmd = argumentsIn(config['Cmd']);
  const workingDir = config['WorkingDir'] ?? '';
  if (entrypoint === undefined || cmd === undefined || typeof workingDir !== 'string')
    return { fault: "the image's entrypoint, command or working directory is malformed" };
  if (Buffer.byteLength(JSON.stringify([entrypoint, cmd, workingDir])) > MAX_ENTRYPOINT_BYTES)
    return { fault: "the image's entrypoint and command are longer than 128 KiB" };
  return { entrypoint, cmd, ...(workingDir === '' ? {} : { workingDir }) };
}

function argumentsIn(value: unknown): string[] | undefined {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return undefined;
  const items = value.filter((item): item is string => typeof item === 'string' && !item.includes('\0'));
  return items.length === value.length ? items : undefined;
}

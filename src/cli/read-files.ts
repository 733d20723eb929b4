import { readFile, stat } from 'node:fs/promises';
import { isNativeError } from 'node:util/types';
import type { Manifests, PipelineText } from './read-manifests.ts';
import { wholeFile } from './embedded-text.ts';
import { isManifest } from './is-manifest.ts';
import type { Terminal } from './terminal.ts';
import { Misuse } from './terminal.ts';

/** Manifests may hold more than the 256 KiB of a pipeline, but not anything. */
const LARGEST = 16 * 1024 * 1024;

export interface Input {
  /** As it is shown; `<stdin>` for `-`. */
  file: string;
  bytes: Uint8Array;
}

export async function readInput(name: string, terminal: Terminal): Promise<Input> {
  if (name === '-') return limited({ file: '<stdin>', bytes: await terminal.stdin() });
  try {
    if ((await stat(name)).isDirectory()) throw new Misuse(`${name} is a folder: name the files in it`);
    return limited({ file: name, bytes: await readFile(name) });
  } catch (error) {
    if (error instanceof Misuse) throw error;
    throw new Misuse(`${name} cannot be read: ${explain(error)}`);
  }
}

function limited(input: Input): Input {
  if (input.bytes.length <= LARGEST) return input;
  throw new Misuse(`${input.file} has ${input.bytes.length} bytes; at most ${LARGEST} are read`);
}

export function explain(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const code = 'code' in error ? error.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EACCES' || code === 'EROFS') return 'permission denied';
  return error.message;
}

/** The pipelines in one file. */
export async function readTexts(input: Input): Promise<Manifests> {
  if (!holdsManifests(input)) return { pipelines: [hclFile(input)], findings: [] };
  const { readManifests } = await import('./read-manifests.ts');
  return readManifests([{ file: input.file, source: decode(input.bytes) }]);
}

/** The pipelines in files, in the order in which they were named. Files are read as YAML only when one of them is. */
export async function readPipelines(names: readonly string[], terminal: Terminal): Promise<Manifests> {
  const inputs: Input[] = [];
  for (const name of names) inputs.push(await readInput(name, terminal));
  const manifests = inputs.filter(holdsManifests).map(({ file, bytes }) => ({ file, source: decode(bytes) }));
  if (manifests.length === 0) return { pipelines: inputs.map(hclFile), findings: [] };
  const { readManifests } = await import('./read-manifests.ts');
  const read = readManifests(manifests);
  const pipelines = inputs.flatMap((input) =>
    holdsManifests(input) ? read.pipelines.filter(({ file }) => file === input.file) : [hclFile(input)],
  );
  return { pipelines: [...new Set([...pipelines, ...read.pipelines])], findings: read.findings };
}

const holdsManifests = ({ file, bytes }: Input): boolean => isManifest(file, decode(bytes));

/** The engine itself sees the bytes, and says where they are no UTF-8. */
function hclFile({ file, bytes }: Input): PipelineText {
  const given = {};
  return {
    file,
    source: decode(bytes),
    text: wholeFile(bytes),
    given,
    elsewhere: { secrets: [], configMaps: [] },
  };
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

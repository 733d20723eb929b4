import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { wholeFile } from './embedded-text.ts';
import { explain } from './explain.ts';
import { isManifest } from './is-manifest.ts';
import type { Manifests, PipelineText } from './read-manifests.ts';
import { CommandError, type Terminal } from './terminal.ts';

/** Larger than the 256 KiB limit of one pipeline, because a file can have many manifests. */
const MAX_INPUT_BYTES = 16 * 1024 * 1024;

export interface InputFile {
  /** The name in messages; `<stdin>` for `-`. */
  file: string;
  bytes: Uint8Array;
}

export async function readInput(name: string, terminal: Terminal): Promise<InputFile> {
  if (name === '-') return { file: '<stdin>', bytes: await readAll('<stdin>', terminal.stdin()) };
  try {
    if ((await stat(name)).isDirectory()) throw new CommandError(`${name} is a folder: name the files in it`);
    return { file: name, bytes: await readAll(name, createReadStream(name)) };
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new CommandError(`${name} cannot be read: ${explain(error)}`);
  }
}

/** Counts the bytes while it reads, because devices and pipes have no size and may never end. */
async function readAll(file: string, chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_INPUT_BYTES)
      throw new CommandError(`${file} is larger than the limit of ${MAX_INPUT_BYTES} bytes`);
    read.push(chunk);
  }
  return Buffer.concat(read);
}

/** The pipelines in one file. */
export async function readTexts(input: InputFile): Promise<Manifests> {
  if (!holdsManifests(input)) return { pipelines: [hclFile(input)], findings: [] };
  const { readManifests } = await import('./read-manifests.ts');
  return readManifests([{ file: input.file, source: decode(input.bytes) }]);
}

export interface ReadFiles extends Manifests {
  /** The text of each file, to quote lines of it. */
  sources: ReadonlyMap<string, string>;
}

/** The pipelines in files, in the order of the arguments. Loads the YAML parser only if a file needs it. */
export async function readPipelines(names: readonly string[], terminal: Terminal): Promise<ReadFiles> {
  const inputs: InputFile[] = [];
  for (const name of new Set(names)) inputs.push(await readInput(name, terminal));
  const sources = new Map(inputs.map(({ file, bytes }) => [file, decode(bytes)]));
  const manifests = inputs.filter(holdsManifests).map(({ file, bytes }) => ({ file, source: decode(bytes) }));
  if (manifests.length === 0) return { pipelines: inputs.map(hclFile), findings: [], sources };
  const { readManifests } = await import('./read-manifests.ts');
  const read = readManifests(manifests);
  const pipelines = inputs.flatMap((input) =>
    holdsManifests(input) ? read.pipelines.filter(({ file }) => file === input.file) : [hclFile(input)],
  );
  return { pipelines: [...new Set([...pipelines, ...read.pipelines])], findings: read.findings, sources };
}

const holdsManifests = ({ file, bytes }: InputFile): boolean => isManifest(file, decode(bytes));

/** Keeps the bytes, so that the HCL compiler can report where they are not UTF-8. */
function hclFile({ file, bytes }: InputFile): PipelineText {
  return {
    file,
    source: decode(bytes),
    text: wholeFile(bytes),
    variables: {},
    unreadSources: { secrets: [], configMaps: [] },
    pins: [],
    faults: [],
  };
}

const decode = (bytes: Uint8Array): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

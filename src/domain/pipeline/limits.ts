import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';

/** Limits against hostile texts. */
export const LIMITS = {
  bytes: 256 * 1024,
  blocks: 5000,
  /** Depth of nested blocks, brackets, templates and operators. */
  depth: 200,
  /** Processor time to compile one text. */
  cpuMilliseconds: 2000,
  diagnostics: 500,
  /** Instances of one `for_each` or `matrix`. */
  instances: 1000,
  /** Jobs of a pipeline after expansion of all groups. */
  jobs: 5000,
  resources: 5000,
  /** Tags of a job or resource, and serial groups of a job. */
  tags: 10,
  /** Secrets in a chain in which each one needs the next. */
  secretChain: 10,
  /** Sources in a chain in which each one names the next. */
  sourceChain: 5,
  /** Distinct texts to fetch for one pipeline, including those that sources name. */
  sources: 50,
  /** Total bytes of the fetched texts. */
  sourceBytes: 2 * 1024 * 1024,
  /** Time from the first fetch of a pipeline until the last one may start. */
  sourceMilliseconds: 60_000,
  /** Characters of the JSON with the parameters that the program of a type with a protocol gets. */
  protocolCharacters: 64 * 1024,
  /** Bytes of the definition after expansion of all groups. */
  definitionBytes: 4 * 1024 * 1024,
} as const;

const mebibytes = (bytes: number): string => `${Math.ceil((bytes / 1024 / 1024) * 10) / 10} MiB`;

/** Checks the number of sources that are known so far, fetched or not, before the next ones are fetched. */
export function checkSources(count: number): Diagnostic | undefined {
  if (count <= LIMITS.sources) return undefined;
  const message = `the pipeline names ${count} sources to fetch; at most ${LIMITS.sources} are allowed`;
  return diagnose(
    'too-large',
    undefined,
    message,
    'Put what belongs together into one file, or split the pipeline.',
  );
}

export function checkSourceBytes(bytes: number): Diagnostic | undefined {
  if (bytes <= LIMITS.sourceBytes) return undefined;
  const message = `the sources of the pipeline are longer than ${mebibytes(LIMITS.sourceBytes)} in all`;
  return diagnose('too-large', undefined, message, 'Shorten them, or split the pipeline.');
}

export function definitionTooLong(bytes: number): Diagnostic {
  const [size, maximum] = [mebibytes(bytes), mebibytes(LIMITS.definitionBytes)];
  const message = `the pipeline is ${size} long when its groups are expanded; at most ${maximum} are allowed`;
  const help =
    'Each instance of a group repeats its scripts: ' +
    'move long ones into a file of the repository, or split the pipeline.';
  return diagnose('too-large', undefined, message, help);
}

export function checkSize(bytes: number): Diagnostic | undefined {
  if (bytes <= LIMITS.bytes) return undefined;
  const kib = (bytes / 1024).toFixed(0);
  return diagnose(
    'too-large',
    undefined,
    `the pipeline is ${kib} KiB long; at most ${LIMITS.bytes / 1024} KiB are allowed`,
  );
}

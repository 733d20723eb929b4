import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';

/** Against hostile files. */
export const LIMITS = {
  bytes: 256 * 1024,
  blocks: 5000,
  /** How deep blocks, brackets, templates and operators may be nested. */
  depth: 200,
  milliseconds: 2000,
  diagnostics: 500,
  /** Of one `for_each` or `matrix`. */
  instances: 1000,
  /** Of a pipeline, when all groups are expanded. */
  jobs: 5000,
  resources: 5000,
  /** Tags of a job or resource, and serial groups of a job. */
  tags: 10,
  /** How many variables a secret may need one after another. */
  secretChain: 10,
  /** Sources that name another source. */
  sourceChain: 5,
  /** Different texts that are fetched for one pipeline, those that other sources name included. */
  sources: 50,
  /** Bytes of all of them. */
  sourceBytes: 2 * 1024 * 1024,
  /** No fetch of a pipeline begins later after the first. */
  sourceMilliseconds: 60_000,
  /** Bytes of the definition that a text becomes when its groups are expanded. */
  definitionBytes: 4 * 1024 * 1024,
} as const;

const mebibytes = (bytes: number): string => `${Math.ceil((bytes / 1024 / 1024) * 10) / 10} MiB`;

/** Found before anything is fetched. `wanted`: all that the pipeline is known to name. */
export function checkSources(wanted: number): Diagnostic | undefined {
  if (wanted <= LIMITS.sources) return undefined;
  const message = `the pipeline names ${wanted} sources to fetch; at most ${LIMITS.sources} are allowed`;
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
  const [is, most] = [mebibytes(bytes), mebibytes(LIMITS.definitionBytes)];
  const message = `the pipeline is ${is} long when its groups are expanded; at most ${most} are allowed`;
  const help =
    'Each instance of a group repeats its scripts: move long ones into a file of the repository, or split the pipeline.';
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

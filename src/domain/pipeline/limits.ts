import { diagnose } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';

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
} as const;

export function checkSize(bytes: number): Diagnostic | undefined {
  if (bytes <= LIMITS.bytes) return undefined;
  const kib = (bytes / 1024).toFixed(0);
  return diagnose(
    'too-large',
    undefined,
    `the pipeline is ${kib} KiB long; at most ${LIMITS.bytes / 1024} KiB are allowed`,
  );
}

import { diagnose } from '#domain/language/diagnostic.ts';
import type { Diagnostic } from '#domain/language/diagnostic.ts';

/** Against hostile files (decisions §8). */
export const LIMITS = {
  bytes: 256 * 1024,
  blocks: 5000,
  /** How deep blocks, brackets, templates and operators may be nested. */
  depth: 200,
  milliseconds: 2000,
  diagnostics: 500,
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

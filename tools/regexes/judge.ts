import { checkSync } from 'recheck';
import type { Regex } from './collect.ts';

// The other backends are a Java archive and platform binaries; this one works everywhere.
process.env['RECHECK_BACKEND'] = 'pure';

const TIMEOUT_MS = 120_000;

/** What is wrong with a regular expression; undefined if its time is linear in the text. */
export function judge({ source, flags }: Pick<Regex, 'source' | 'flags'>): string | undefined {
  if (source === undefined) return 'is built from what is known at run time only: build it from constants';
  const verdict = checkSync(source, flags, { timeout: TIMEOUT_MS });
  if (verdict.status === 'safe') return undefined;
  if (verdict.status === 'unknown')
    return `could not be judged (${verdict.error.kind}): write it more simply`;
  return `takes ${verdict.complexity.summary} time, for example on ${verdict.attack.pattern}`;
}

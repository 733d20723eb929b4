import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesWithRegexes, regexesIn, type Regex } from './collect.ts';
import { judge } from './judge.ts';

const RECORD = join(import.meta.dirname, 'proven.json');

/**
 * Proving one expression can take seconds, so proofs are recorded. `node tools/regexes/main.ts --all` repeats
 * all of them.
 */
export function readProven(): Set<string> {
  const list: unknown = JSON.parse(readFileSync(RECORD, 'utf8'));
  return new Set(Array.isArray(list) ? list.map(String) : []);
}

export function writeProven(proven: ReadonlySet<string>): void {
  writeFileSync(RECORD, `${JSON.stringify([...proven].toSorted(), null, 2)}\n`);
}

export const spellingOf = ({ source, flags }: Regex): string => `/${source}/${flags}`;

export function allRegexes(): Regex[] {
  return filesWithRegexes().flatMap((file) => regexesIn(file));
}

/** One line for each fault. Expressions that are found to be linear are added to `proven`. */
export function faultsIn(regexes: readonly Regex[], proven: Set<string>): string[] {
  return regexes.flatMap((regex) => {
    const name = spellingOf(regex);
    if (proven.has(name)) return [];
    const fault = judge(regex);
    if (fault !== undefined) return [`${regex.file}: ${name} ${fault}`];
    proven.add(name);
    return [];
  });
}

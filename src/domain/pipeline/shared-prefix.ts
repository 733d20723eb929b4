import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { stepName } from './step-target.ts';

/**
 * Warns if two steps set variables with the same prefix. Branches of one `if` may share a prefix, because
 * only one of them runs.
 */
export function warnOfSharedPrefixes(job: ReadBlock, report: Report): void {
  prefixesAfter(job, new Set(), report);
}

/** Returns the prefixes that are taken after the steps of the block. */
function prefixesAfter(block: ReadBlock, before: ReadonlySet<string>, report: Report): Set<string> {
  const taken = new Set(before);
  const branchPrefixes = new Set<string>();
  for (const child of block.blocks) {
    if (child.type === 'if') for (const prefix of branchPrefixes) taken.add(prefix);
    if (['if', 'else_if', 'else'].includes(child.type)) {
      for (const prefix of prefixesAfter(child, taken, report)) branchPrefixes.add(prefix);
      continue;
    }
    for (const prefix of branchPrefixes) taken.add(prefix);
    if (child.type === 'in_parallel')
      for (const prefix of prefixesAfter(child, taken, report)) taken.add(prefix);
    else claimPrefix(child, taken, report);
  }
  return new Set([...taken, ...branchPrefixes]);
}

function claimPrefix(block: ReadBlock, taken: Set<string>, report: Report): void {
  const prefix = prefixOf(block);
  if (prefix === undefined) return;
  const { range } = stepName(block);
  if (taken.has(prefix))
    report(diagnose('shared-prefix', range, `an earlier step of the job also writes $${prefix}*`));
  taken.add(prefix);
}

/** Prefix of the variables that a get or task sets: `GET_APP_`. */
export function prefixOf(block: ReadBlock): string | undefined {
  const { type } = block;
  if (type !== 'get' && type !== 'task') return undefined;
  return `${type}_${stepName(block).text}_`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

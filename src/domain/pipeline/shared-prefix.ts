import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { stepName } from './step-target.ts';

/** Two steps whose values later ones would see under the same names. Branches of one chain never meet. */
export function warnOfSharedPrefixes(job: ReadBlock, report: Report): void {
  look(job, new Set(), report);
}

/** Answers what is taken after the steps of the block. */
function look(block: ReadBlock, before: ReadonlySet<string>, report: Report): Set<string> {
  const taken = new Set(before);
  const chain = new Set<string>();
  for (const child of block.blocks) {
    if (child.type === 'if') for (const prefix of chain) taken.add(prefix);
    if (['if', 'else_if', 'else'].includes(child.type)) {
      for (const prefix of look(child, taken, report)) chain.add(prefix);
      continue;
    }
    for (const prefix of chain) taken.add(prefix);
    if (child.type === 'in_parallel') for (const prefix of look(child, taken, report)) taken.add(prefix);
    else claim(child, taken, report);
  }
  return new Set([...taken, ...chain]);
}

function claim(block: ReadBlock, taken: Set<string>, report: Report): void {
  const prefix = prefixOf(block);
  if (prefix === undefined) return;
  const { range } = stepName(block);
  if (taken.has(prefix))
    report(diagnose('shared-prefix', range, `an earlier step of the job also writes $${prefix}*`));
  taken.add(prefix);
}

/** `GET_APP_` of a get or task: what the names of the variables that it sets begin with. */
export function prefixOf(block: ReadBlock): string | undefined {
  const { type } = block;
  if (type !== 'get' && type !== 'task') return undefined;
  return `${type}_${stepName(block).text}_`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

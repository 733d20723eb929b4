import { labelAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { inputVariable } from './inputs.ts';

/**
 * Warns about `$input_version` if the variable of the input is `$INPUT_VERSION`. Names of variables are
 * case-sensitive, so `$input_version` is empty.
 */
export function warnOfInputCase(job: ReadBlock, report: Report): void {
  const inputs = job.blocks.filter(({ type }) => type === 'input');
  const variables = new Set(inputs.map((input) => inputVariable(labelAt(input, 0).text)));
  if (variables.size === 0) return;
  for (const { text, range } of stringsIn(job)) {
    const assigned = namesWithoutDollar(text);
    for (const written of new Set(references(text))) {
      const variable = written.toUpperCase();
      if (written === variable || !variables.has(variable) || assigned.has(written)) continue;
      const message = `$${written} is empty when it runs: the value of the input is in $${variable}`;
      report(diagnose('input-case', range, message, `Write $${variable}.`));
    }
  }
}

const references = (text: string): string[] =>
  [...text.matchAll(/\$\{?(input_\w+)/gi)].map(([, name = '']) => name);

/** A script that also has a name without `$` may set such a variable itself. */
const namesWithoutDollar = (text: string): Set<string> =>
  new Set([...text.matchAll(/(?<![\w$]|\$\{)input_\w+/gi)].map(([name]) => name));

function stringsIn(block: ReadBlock): LocatedString[] {
  const attributeStrings = [...block.attributes.values()].flatMap(({ value, range }): LocatedString[] => {
    if (value?.kind === 'string') return [{ text: value.text, range }];
    return value?.kind === 'strings' ? value.items : [];
  });
  const labels = block.type === 'if' || block.type === 'else_if' ? block.labels : [];
  return [...labels, ...attributeStrings, ...block.parameters, ...block.blocks.flatMap(stringsIn)];
}

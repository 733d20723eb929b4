import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { Text } from '#domain/language/read-attribute.ts';
import { textsAt, type Parameter, type ReadBlock } from '#domain/language/read-block.ts';
import { closest } from '#domain/language/suggest.ts';

/** What the attribute `params` of a type lists. */
export function declaredParams(block: ReadBlock, report: Report): string[] {
  const names = textsAt(block, 'params').filter((param) => checkParameterName(param, report));
  return [...new Set(names.map(({ text }) => text))];
}

/**
 * A definition that came from a source takes, besides its own parameters, those that the block beside the
 * source lists.
 */
export function withDeclaredParams<Definition extends { params: string[] }>(
  definition: Definition,
  block: ReadBlock,
  report: Report,
): Definition {
  return {
    ...definition,
    params: [...new Set([...definition.params, ...declaredParams(block, report)])],
  };
}

function checkParameterName({ text, range }: Text, report: Report): boolean {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return true;
  report(diagnose('unreadable-parameter', range, `a shell cannot read $param_${text}`));
  return /^[^\s=\p{Cc}]+$/u.test(text);
}

/** A parameter that the type does not list is probably a slip; the type still gets it. */
export function warnOfUnknown(
  parameters: readonly Parameter[],
  type: { name: string; params: readonly string[] },
  report: Report,
): void {
  for (const { name, nameRange } of parameters) {
    if (type.params.includes(name)) continue;
    const meant = closest(name, type.params);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    report(
      diagnose('unknown-parameter', nameRange, `the type ${type.name} has no parameter "${name}"${hint}`),
    );
  }
}

export function textsByName(parameters: readonly Parameter[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, text }) => [name, text]));
}

/** Of a step: each name once, and of a kind that a shell can read as `$<prefix><name>`. */
export function checkStepParameters(parameters: readonly Parameter[], prefix: string, report: Report): void {
  const seen = new Set<string>();
  for (const { name, nameRange } of parameters) {
    if (seen.has(name))
      report(diagnose('duplicate-parameter', nameRange, `the parameter ${name} is set twice`));
    seen.add(name);
    if (!/^\w+$/.test(name))
      report(diagnose('unreadable-parameter', nameRange, `a shell cannot read $${prefix}${name}`));
  }
}

import { stringsAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { Parameter, ReadBlock } from '#domain/language/read-block.ts';
import { closestName } from '#domain/language/suggest.ts';

/** Names in the attribute `params` of a type. */
export function declaredParams(block: ReadBlock, report: Report): string[] {
  const names = stringsAt(block, 'params').filter((param) => checkParameterName(param, report));
  return [...new Set(names.map(({ text }) => text))];
}

/** Adds the `params` of a block with a `source` to those of the definition at the source. */
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

function checkParameterName({ text, range }: LocatedString, report: Report): boolean {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return true;
  report(diagnose('unreadable-parameter', range, `a shell cannot read $param_${text}`));
  return /^[^\s=\p{Cc}]+$/u.test(text);
}

/** Warns about parameters that the type does not declare. The type still gets them. */
export function warnOfUnknown(
  parameters: readonly Parameter[],
  type: { name: string; params: readonly string[] },
  report: Report,
): void {
  for (const { name, nameRange } of parameters) {
    if (type.params.includes(name)) continue;
    const meant = closestName(name, type.params);
    const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
    report(
      diagnose('unknown-parameter', nameRange, `the type ${type.name} has no parameter "${name}"${hint}`),
    );
  }
}

export function textsByName(parameters: readonly Parameter[]): Record<string, string> {
  return Object.fromEntries(parameters.map(({ name, text }) => [name, text]));
}

/** Checks that each parameter of a step is unique and readable in a shell as `$<prefix><name>`. */
export function checkStepParameters(parameters: readonly Parameter[], prefix: string, report: Report): void {
  checkUnique(parameters, report);
  for (const { name, nameRange } of parameters) {
    if (!/^\w+$/.test(name))
      report(diagnose('unreadable-parameter', nameRange, `a shell cannot read $${prefix}${name}`));
  }
}

/** Reports parameters that are set twice: in the step itself and in its block `params`. */
export function checkUnique(parameters: readonly Parameter[], report: Report): void {
  const seen = new Set<string>();
  for (const { name, nameRange } of parameters) {
    if (seen.has(name))
      report(diagnose('duplicate-parameter', nameRange, `the parameter ${name} is set twice`));
    seen.add(name);
  }
}

import type { Conversion } from './conversion.ts';
import { parseReference, REFERENCE } from './variable-table.ts';
import type { YamlFields } from './yaml-fields.ts';
import { plainValue, textOfScalar, yamlAt, type YamlTree } from './yaml-tree.ts';

const MAX_COMBINATIONS = 500;

/** Values of variables by name. */
type Locals = ReadonlyMap<string, YamlTree>;

export interface Combinations {
  all: Locals[];
  /** How many run at a time; 0: all. */
  limit: number;
}

/** Every combination of the values of `across`. Undefined after a report. */
export function readAcross(fields: YamlFields, conversion: Conversion): Combinations | undefined {
  let all: Locals[] = [new Map()];
  let limit = 1;
  for (const one of fields.maps('across', 'a variable of across')) {
    const name = one.needed('var');
    const values = one.tree('values');
    limit *= readLimit(one, conversion);
    one.end([]);
    if (name === undefined || values?.kind !== 'list') {
      conversion.error(one.span, 'values of across must be a list that is written out', 'Write the values.');
      return undefined;
    }
    if (all.length * values.items.length > MAX_COMBINATIONS) {
      conversion.error(one.span, `across has more than ${MAX_COMBINATIONS} combinations`, 'Split the step.');
      return undefined;
    }
    all = all.flatMap((locals) => values.items.map((value) => new Map([...locals, [name, value]])));
  }
  return { all, limit };
}

/** `all` makes the product 0, which is no limit. */
function readLimit(one: YamlFields, conversion: Conversion): number {
  const tree = one.tree('max_in_flight');
  if (tree === undefined) return 1;
  if (tree.kind === 'scalar' && tree.value === 'all') return 0;
  if (tree.kind === 'scalar' && typeof tree.value === 'number' && tree.value >= 1)
    return Math.floor(tree.value);
  conversion.error(tree.span, 'max_in_flight must be a number of at least 1, or all', 'Correct it.');
  return 1;
}

/** What tells the instances of a step apart. */
export const suffixOf = (locals: Locals): string =>
  Array.from(locals, ([name, value]) => `${name}=${wordFor(value)}`)
    .join(', ')
    .slice(0, MAX_SUFFIX_CHARACTERS);

const MAX_SUFFIX_CHARACTERS = 60;

/** The first text of a list or map stands for it. */
function wordFor(value: YamlTree): string {
  const parts =
    value.kind === 'list'
      ? value.items
      : value.kind === 'map'
        ? value.entries.map((entry) => entry.value)
        : [value];
  return parts.map((part) => textOfScalar(part)).find((text) => text !== undefined) ?? '…';
}

/** The step with the values of one combination. */
export function fillLocals(tree: YamlTree, locals: Locals): YamlTree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => fillLocals(item, locals)) };
  if (tree.kind === 'map')
    return {
      ...tree,
      entries: tree.entries.map((entry) => ({ ...entry, value: fillLocals(entry.value, locals) })),
    };
  return typeof tree.value === 'string' ? fillText(tree.value, { tree, locals, source: '.' }) : tree;
}

/** Replaces `((name))` with fixed values that are no texts, as `fly` does: a list, a number, true. */
export function fillGiven(tree: YamlTree, given: Locals): YamlTree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => fillGiven(item, given)) };
  if (tree.kind === 'map')
    return {
      ...tree,
      entries: tree.entries.map((entry) => ({ ...entry, value: fillGiven(entry.value, given) })),
    };
  const text = textOfScalar(tree) ?? '';
  const whole = text.startsWith('((') ? wholeReference(text) : undefined;
  const value = whole?.source === undefined && whole?.fields.length === 0 ? given.get(whole.path) : undefined;
  return value === undefined ? tree : { ...value, span: tree.span };
}

function wholeReference(text: string): ReturnType<typeof parseReference> | undefined {
  const [match] = text.matchAll(REFERENCE);
  return match?.[0] === text ? parseReference(match[1] ?? '') : undefined;
}

function fillText(
  text: string,
  { tree, locals, source }: { tree: YamlTree; locals: Locals; source: string },
): YamlTree {
  const found = (inner: string): YamlTree | undefined => {
    const reference = parseReference(inner);
    if (reference.source !== source) return undefined;
    let value = locals.get(reference.path);
    for (const field of reference.fields) value = yamlAt(value, field);
    return value;
  };
  const whole = wholeReference(text);
  const [match] = whole ? text.matchAll(REFERENCE) : [];
  const only = match && found(match[1] ?? '');
  if (only) return { ...only, span: tree.span };
  const value = text.replaceAll(REFERENCE, (all, inner: string) => {
    const one = found(inner);
    if (one === undefined) return all;
    return textOfScalar(one) ?? JSON.stringify(plainValue(one));
  });
  return { kind: 'scalar', span: tree.span, value };
}

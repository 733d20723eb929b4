import type { Conversion } from './conversion.ts';
import { parseReference, REFERENCE, type VariableReference } from './variable-table.ts';
import type { YamlFields } from './yaml-fields.ts';
import { plainValue, textOfScalar, yamlAt, type YamlMap, type YamlSpan, type YamlTree } from './yaml-tree.ts';

const MAX_COMBINATIONS = 500;

/** Values of variables, by the name of the variable. */
type Locals = ReadonlyMap<string, YamlTree>;

interface Combinations {
  /** The values of the variables in each combination. */
  locals: Locals[];
  /** How many combinations run at the same time; 0: no limit. */
  limit: number;
}

/**
 * The first variable of `across` whose values are not written out but a reference, such as `((.:list))`.
 * Undefined: there is none.
 */
export function findUnknownValues(
  across: YamlTree | undefined,
): { text: string; span: YamlSpan } | undefined {
  const variables = across?.kind === 'list' ? across.items : [];
  for (const variable of variables) {
    const values = yamlAt(variable, 'values');
    const text = textOfScalar(values);
    if (values && text !== undefined && wholeReference(text)) return { text, span: values.span };
  }
  return undefined;
}

/** Every combination of the values of `across`. Undefined: there is an error, which was reported. */
export function readAcross(fields: YamlFields, conversion: Conversion): Combinations | undefined {
  let combinations: Locals[] = [new Map()];
  let limit = 1;
  for (const variable of fields.maps('across', 'a variable of across')) {
    const name = variable.needed('var');
    const values = variable.tree('values');
    const count = values?.kind === 'list' ? values.items.length : 1;
    limit *= readLimit(variable, count, conversion);
    variable.end([]);
    if (name === undefined || values?.kind !== 'list') {
      conversion.error(
        variable.span,
        'values of across must be a list that is written out',
        'Write the values.',
      );
      return undefined;
    }
    if (combinations.length * values.items.length > MAX_COMBINATIONS) {
      conversion.error(
        variable.span,
        `across has more than ${MAX_COMBINATIONS} combinations`,
        'Split the step.',
      );
      return undefined;
    }
    combinations = combinations.flatMap((locals) =>
      values.items.map((value) => new Map([...locals, [name, value]])),
    );
  }
  return { locals: combinations, limit: limit < combinations.length ? limit : 0 };
}

/**
 * How many values of one variable run at the same time. `count`: the number of its values. It is the result
 * if `max_in_flight` is `all`.
 */
function readLimit(variable: YamlFields, count: number, conversion: Conversion): number {
  const tree = variable.tree('max_in_flight');
  if (tree === undefined) return 1;
  if (tree.kind === 'scalar' && tree.value === 'all') return count;
  if (tree.kind === 'scalar' && typeof tree.value === 'number' && tree.value >= 1)
    return Math.floor(tree.value);
  conversion.error(tree.span, 'max_in_flight must be a number of at least 1, or all', 'Correct it.');
  return 1;
}

/**
 * Copies the step for each combination, and fills in the values. If the copies are tasks with equal names,
 * each name gets the values as a suffix.
 */
export function instancesOf(step: YamlMap, combinations: readonly Locals[]): YamlTree[] {
  const instances = combinations.map((locals) => fillLocals(step, locals));
  const names = instances.flatMap((instance) => textOfScalar(yamlAt(instance, 'task')) ?? []);
  if (new Set(names).size === names.length) return instances;
  return instances.map((instance, index) => {
    if (instance.kind !== 'map') return instance;
    const value = `${names[index] ?? ''} ${suffixOf(combinations[index] ?? new Map())}`;
    const entries = instance.entries.map((entry) =>
      entry.key === 'task' ? { ...entry, value: { ...entry.value, kind: 'scalar' as const, value } } : entry,
    );
    return { ...instance, entries };
  });
}

/**
 * A suffix that tells the copies of a step apart: `go=1.25, os=linux`. It is cut at `MAX_SUFFIX_CHARACTERS`,
 * so two copies can still have the same.
 */
const suffixOf = (locals: Locals): string =>
  Array.from(locals, ([name, value]) => `${name}=${wordFor(value)}`)
    .join(', ')
    .slice(0, MAX_SUFFIX_CHARACTERS);

const MAX_SUFFIX_CHARACTERS = 60;

/** A short text for the value: its own text, or the first text in a list or map. `…` if there is none. */
function wordFor(value: YamlTree): string {
  const texts = partsOf(value).flatMap((part) => textOfScalar(part) ?? []);
  return texts[0] ?? '…';
}

/** The elements of a list or map, or the value itself. */
function partsOf(value: YamlTree): YamlTree[] {
  if (value.kind === 'list') return value.items;
  return value.kind === 'map' ? value.entries.map((entry) => entry.value) : [value];
}

/** The step with the values of one combination filled in. */
function fillLocals(tree: YamlTree, locals: Locals): YamlTree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => fillLocals(item, locals)) };
  if (tree.kind === 'map')
    return {
      ...tree,
      entries: tree.entries.map((entry) => ({ ...entry, value: fillLocals(entry.value, locals) })),
    };
  return typeof tree.value === 'string' ? fillText(tree.value, tree.span, locals) : tree;
}

/**
 * Replaces each text that is a single reference `((name))` by its value from `values`, as `fly` does.
 * `values` has only values that are not texts: lists, maps, numbers, true and false.
 */
export function fillGiven(tree: YamlTree, values: Locals): YamlTree {
  if (tree.kind === 'list') return { ...tree, items: tree.items.map((item) => fillGiven(item, values)) };
  if (tree.kind === 'map')
    return {
      ...tree,
      entries: tree.entries.map((entry) => ({ ...entry, value: fillGiven(entry.value, values) })),
    };
  const text = textOfScalar(tree) ?? '';
  const reference = text.startsWith('((') ? wholeReference(text) : undefined;
  const isName = reference?.source === undefined && reference?.fields.length === 0;
  const value = isName ? values.get(reference.path) : undefined;
  return value === undefined ? tree : { ...value, span: tree.span };
}

/** The reference that the text consists of. Undefined: the text has anything else. */
function wholeReference(text: string): VariableReference | undefined {
  const [match] = text.matchAll(REFERENCE);
  return match?.[0] === text ? parseReference(match[1] ?? '') : undefined;
}

/**
 * Replaces references to local variables, such as `((.:name))`. If the whole text is one reference, the
 * result can be a list or map.
 */
function fillText(text: string, span: YamlSpan, locals: Locals): YamlTree {
  const whole = wholeReference(text);
  const wholeValue = whole && valueOfLocal(whole, locals);
  if (wholeValue) return { ...wholeValue, span };
  const value = text.replaceAll(REFERENCE, (written, inner: string) => {
    const replacement = valueOfLocal(parseReference(inner), locals);
    if (replacement === undefined) return written;
    return textOfScalar(replacement) ?? JSON.stringify(plainValue(replacement));
  });
  return { kind: 'scalar', span, value };
}

/** The value of a reference to a local variable. Undefined: the reference is not local, or has no value. */
function valueOfLocal({ source, path, fields }: VariableReference, locals: Locals): YamlTree | undefined {
  if (source !== '.') return undefined;
  let value = locals.get(path);
  for (const field of fields) value = yamlAt(value, field);
  return value;
}

import { isMap, isScalar, parseDocument, type Node, type Pair } from 'yaml';

export interface ValueRow {
  /** Such as `gateway.public.replicas`. */
  name: string;
  /** The default value as JSON. */
  fallback: string;
}

/** Maps that users replace as a whole: one row each. */
const WHOLE = new Set(['requests', 'limits']);

/** Every value of the chart in the order of the file: one row for each leaf, and for each map of `WHOLE`. */
export function valueRows(valuesFile: string): ValueRow[] {
  const document = parseDocument(valuesFile);
  return isMap(document.contents) ? document.contents.items.flatMap((pair) => rowsOf(pair, [])) : [];
}

function rowsOf(pair: Pair, parents: readonly string[]): ValueRow[] {
  const key = isScalar(pair.key) ? String(pair.key.value) : '';
  const path = [...parents, key];
  const value = pair.value;
  if (isMap(value) && value.items.length > 0 && !WHOLE.has(key)) {
    return value.items.flatMap((inner) => rowsOf(inner, path));
  }
  return [{ name: path.join('.'), fallback: JSON.stringify(isNode(value) ? value.toJSON() : value) }];
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'toJSON' in value;
}

import { textOf } from './help-for-type.ts';
import type { Expression, Value } from './syntax.ts';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/**
 * A value as JSON, or why it cannot be JSON. `inexact`: a number in the value that is too large for
 * JavaScript, or a whole number that it would round.
 */
export type AsJson = { json: JsonValue } | { inexact: string };

/** The value as JSON. `expression`: how the text writes the value. */
export function valueAsJson(value: Value, expression?: Expression): AsJson {
  const inexact: string[] = [];
  const json = convert(value, expression, inexact);
  const [first] = inexact;
  return first === undefined ? { json } : { inexact: first };
}

/**
 * Converts the value, and adds each inexact number to `inexact`. A quoted expression such as `"${var.port}"`
 * becomes a text, because that is what people mean, although HCL evaluates it to a number.
 */
function convert(value: Value, expression: Expression | undefined, inexact: string[]): JsonValue {
  const text = textOf(value);
  if (expression?.quoted === true && text !== undefined) return text;
  if ('items' in value)
    return value.items.map((item, index) => convert(item, expression?.items?.[index], inexact));
  if ('entries' in value) return convertEntries(value, expression, inexact);
  if (value.kind === 'number') return convertNumber(value.digits, inexact);
  if (value.kind === 'bool') return value.value;
  return value.kind === 'string' ? value.text : null;
}

function convertEntries(
  { entries }: Value & { kind: 'map' | 'object' },
  expression: Expression | undefined,
  inexact: string[],
): JsonObject {
  const expressions = new Map(expression?.entries?.map(({ key, value }) => [nameOf(key), value]));
  return Object.fromEntries(
    entries.map(([name, value]) => [name, convert(value, expressions.get(name), inexact)] as const),
  );
}

const nameOf = ({ keyword, value }: Expression): string | undefined =>
  value?.kind === 'string' ? value.text : keyword;

function convertNumber(digits: string, inexact: string[]): number {
  const number = Number(digits);
  const isExact = Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number));
  if (!isExact) inexact.push(digits);
  return isExact ? number : 0;
}

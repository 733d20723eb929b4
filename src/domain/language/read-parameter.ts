import type { AttributeSchema, BlockSchema } from './block-schema.ts';
import type { Diagnostic } from './diagnostic.ts';
import { dependsOnUnknown, evaluateExpression, type BlockReader } from './evaluate-expression.ts';
import { textOf } from './help-for-type.ts';
import { valueAsJson, type AsJson } from './json-value.ts';
import type { Attribute, Expression, Value } from './syntax.ts';
import { describeWrongType, wrongType } from './wrong-type.ts';

/**
 * The value of a parameter as a string: numbers and bools are converted. Null: the parameter counts as
 * absent. Undefined: there is no value, because of a reported error or because the value is unknown.
 */
export function readParameter(reader: BlockReader, attribute: Attribute): string | null | undefined {
  const value = readAnyParameter(reader, attribute);
  if (!value) return value;
  if (value.problem === undefined) return value.text;
  reader.report(value.problem);
  return undefined;
}

/**
 * A parameter of any type. `text`: the value as a string. `problem`: why the value is not a text, for callers
 * that need a text; `text` is empty then.
 */
export interface AnyParameter {
  text: string;
  json: AsJson;
  problem?: Diagnostic;
}

/** Reads a parameter of any type. Null and undefined mean the same as in `readParameter`. */
export function readAnyParameter(
  reader: BlockReader,
  { name, expression }: Attribute,
): AnyParameter | null | undefined {
  const value = evaluateExpression(reader, expression, true);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  const json = valueAsJson(value, expression);
  const text = textOf(value);
  if (text !== undefined) return { text, json };
  const subject = { name, range: expression.range, expression };
  return { text: '', json, problem: describeWrongType(reader, subject, 'a string, number or bool', value) };
}

/** The values of one axis of a matrix, in order. Null and undefined mean the same as in `readParameter`. */
export function readAxis(reader: BlockReader, { name, expression }: Attribute): Value[] | null | undefined {
  const { range } = expression;
  const value = evaluateExpression(reader, expression, false);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  if (!('items' in value))
    return wrongType(reader, { name, range, expression }, 'a list of strings, numbers or bools', value);
  const index = value.items.findIndex((item) => textOf(item) === undefined);
  const bad = value.items[index];
  if (!bad) return value.items;
  const element = expression.items?.[index] ?? expression;
  const subject = { name: `each element of ${name}`, range: element.range, expression: element };
  return wrongType(reader, subject, 'a string, number or bool', bad);
}

/** Kinds of values that an attribute of the type `environment` can have. With null, it counts as absent. */
const ENVIRONMENT_KINDS: ReadonlySet<string> = new Set(['map', 'object', 'null']);

/**
 * Whether an attribute that the schema knows is meant as a parameter of the same name. An open block can have
 * a parameter named `env`, so an `env` whose value is not a map is a parameter.
 */
export function isMeantAsParameter(
  reader: BlockReader,
  expression: Expression,
  { type }: AttributeSchema,
  { open }: BlockSchema,
): boolean {
  const takesParameters = open === 'text' || open === 'values';
  if (type !== 'environment' || !takesParameters || expression.entries) return false;
  if (dependsOnUnknown(reader, expression)) return false;
  const { kind = 'null' } = expression.value ?? reader.evaluate(expression, reader.scope).value ?? {};
  return !ENVIRONMENT_KINDS.has(kind);
}

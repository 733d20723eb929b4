import type { AttributeSchema, BlockSchema } from './block-schema.ts';
import { diagnose, type Diagnostic } from './diagnostic.ts';
import { secondsOf, suggestDuration } from './duration.ts';
import {
  dependsOnUnknown,
  evaluateExpression,
  referencesOf,
  withValues,
  type BlockReader,
} from './evaluate-expression.ts';
import { describeValue, helpForType, textOf, type ValueSubject } from './help-for-type.ts';
import { valueAsJson, type AsJson } from './json-value.ts';
import { didYouMean } from './suggest.ts';
import type { Attribute, Expression, Range, Value } from './syntax.ts';

export interface LocatedString {
  text: string;
  range: Range;
}

export type AttributeValue =
  | { kind: 'string'; text: string }
  | { kind: 'bool'; value: boolean }
  /**
   * `written`: each element is in the text, so an empty list is meant. `incomplete`: other elements were
   * wrong and reported; only code that checks each element separately may use these.
   */
  | { kind: 'strings'; items: LocatedString[]; written: boolean; incomplete: boolean }
  /** An integer, or the seconds of a duration. */
  | { kind: 'number'; number: number }
  | { kind: 'environment'; variables: EnvironmentVariable[] }
  | { kind: 'keyword'; word: string }
  | { kind: 'type'; expression: Expression }
  | { kind: 'value'; value: Value };

/** An entry of a map of strings. */
export interface EnvironmentVariable extends LocatedString {
  name: string;
}

/** `null`: the value is null, which counts as absent. `undefined`: an error was reported. */
type Answer = AttributeValue | null | undefined;

type Read = (reader: BlockReader, attribute: Attribute, schema: AttributeSchema) => Answer;

export const readAttribute: Read = (reader, attribute, schema) =>
  readers[schema.type](reader, attribute, schema);

/** Evaluates the attribute and passes on a value that is not null. */
function evaluated(
  use: (reader: BlockReader, value: Value, what: ValueSubject, schema: AttributeSchema) => Answer,
): Read {
  return (reader, { name, expression }, schema) => {
    const value = evaluateExpression(reader, expression, schema.secret === true);
    if (!value) return undefined;
    const what = { name, range: expression.range, expression };
    return value.kind === 'null' ? null : use(reader, value, what, schema);
  };
}

const readers: Record<AttributeSchema['type'], Read> = {
  keyword: readKeyword,
  type: (_reader, { expression }) =>
    expression.value?.kind === 'null' ? null : { kind: 'type', expression },
  strings: readTexts,
  environment: evaluated(readEnvironment),
  constant: readConstant,
  value: evaluated((_reader, value) => ({ kind: 'value', value })),
  bool: evaluated((reader, value, what) =>
    value.kind === 'bool' ? value : wrongType(reader, what, 'true or false', value),
  ),
  integer: evaluated((reader, value, what, schema) =>
    value.kind === 'number'
      ? readInteger(reader, what, value.digits, schema)
      : wrongType(reader, what, 'a number', value),
  ),
  duration: evaluated((reader, value, what, schema) =>
    value.kind === 'string'
      ? readDuration(reader, what, value.text, schema)
      : wrongType(reader, what, 'a duration', value),
  ),
  string: evaluated((reader, value, what, schema) => {
    const text = readText(what, value);
    if (text === undefined) return wrongType(reader, what, 'a string', value);
    return check(reader, schema, { text, range: what.range }, what.name) && { kind: 'string', text };
  }),
};

/** `"${var.replicas}"` is meant as a text, although HCL evaluates it to a number. */
function readText({ expression }: ValueSubject, value: Value): string | undefined {
  return value.kind === 'string' || expression?.quoted ? textOf(value) : undefined;
}

function readInteger(
  { report }: BlockReader,
  { name, range }: ValueSubject,
  digits: string,
  schema: AttributeSchema,
): Answer {
  const { atLeast = 0, atMost = Infinity } = schema;
  const number = Number(digits);
  if (Number.isInteger(number) && number >= atLeast && number <= atMost) return { kind: 'number', number };
  const message = `${name} must be a whole number from ${atLeast} to ${atMost}, not ${digits}`;
  report(diagnose('out-of-range', range, message));
  return undefined;
}

function readDuration(
  { report }: BlockReader,
  { name, range }: ValueSubject,
  text: string,
  schema: AttributeSchema,
): Answer {
  const seconds = secondsOf(text);
  if (seconds === undefined) {
    const message = `${name} "${text}" is not a duration such as 90s or 1h30m`;
    report(diagnose('invalid-duration', range, message, suggestDuration(text)));
    return undefined;
  }
  const { atLeast = 0, atMost = Infinity } = schema;
  if (seconds >= atLeast && seconds <= atMost) return { kind: 'number', number: seconds };
  const message = `${name} must be from ${atLeast} second to ${atMost / 3600} hours, not ${text}`;
  report(diagnose('out-of-range', range, message, 'Give a duration in the range.'));
  return undefined;
}

/** True, or undefined after reporting an error. */
function check(
  { report }: BlockReader,
  { choices }: AttributeSchema,
  { text, range }: LocatedString,
  name: string,
): true | undefined {
  if (!choices || choices.includes(text)) return true;
  const message = `${name} cannot be ${JSON.stringify(text)}${didYouMean(text, choices)}`;
  report(diagnose('invalid-choice', range, message, `Write one of ${choices.join(', ')}.`));
  return undefined;
}

function readConstant(reader: BlockReader, { name, expression }: Attribute): Answer {
  if (referencesOf(expression).length > 0) {
    const message = `${name} must be a fixed value: it cannot refer to anything`;
    reader.report(diagnose('unknown-reference', expression.range, message, 'Write the value itself.'));
    return undefined;
  }
  const value = evaluateExpression(reader, expression, false);
  if (!value) return undefined;
  return value.kind === 'null' ? null : { kind: 'value', value };
}

/** The string of a parameter: numbers and bools are converted, and null counts as absent. */
export function readParameter(reader: BlockReader, attribute: Attribute): string | null | undefined {
  const value = readAnyParameter(reader, attribute);
  if (!value) return value;
  if (value.problem === undefined) return value.text;
  reader.report(value.problem);
  return undefined;
}

/** A parameter of any type. `problem`: why it is no text, for those who need one. */
export interface AnyParameter {
  text: string;
  json: AsJson;
  problem?: Diagnostic;
}

/** The same for values of any type. */
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
  const what = { name, range: expression.range, expression };
  return { text: '', json, problem: describeWrongType(reader, what, 'a string, number or bool', value) };
}

/** The values of a matrix axis, in order. */
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
  const what = { name: `each element of ${name}`, range: element.range, expression: element };
  return wrongType(reader, what, 'a string, number or bool', bad);
}

/** Values as parameters have them; an entry that is null is as if it were not there. */
function readEnvironment(reader: BlockReader, value: Value, what: ValueSubject): Answer {
  if (!('entries' in value)) return wrongType(reader, what, 'a map of strings', value);
  const places = new Map(what.expression?.entries?.map((entry) => [keyOf(entry.key), entry.value.range]));
  const variables = value.entries.flatMap(([name, element]): (EnvironmentVariable | undefined)[] => {
    if (element.kind === 'null') return [];
    const range = places.get(name) ?? what.range;
    const text = textOf(element);
    if (text !== undefined) return [{ name, text, range }];
    return [wrongType(reader, { name: `${what.name}.${name}`, range }, 'a string, number or bool', element)];
  });
  const sound = variables.filter((variable) => variable !== undefined);
  return sound.length < variables.length ? undefined : { kind: 'environment', variables: sound };
}

const keyOf = ({ keyword, value }: Expression): string | undefined =>
  value?.kind === 'string' ? value.text : keyword;

function readKeyword(reader: BlockReader, { name, expression }: Attribute, schema: AttributeSchema): Answer {
  if (expression.value?.kind === 'null') return null;
  // A quoted word is what people try first: take it, as older HCL did, where it is plainly meant.
  const quoted = expression.value?.kind === 'string' ? expression.value.text : undefined;
  const word = expression.keyword ?? quoted;
  if (word !== undefined)
    return check(reader, schema, { text: word, range: expression.range }, name) && { kind: 'keyword', word };
  const message = `${name} must be a bare word`;
  const [example = 'string'] = schema.choices ?? [];
  reader.report(diagnose('wrong-type', expression.range, message, `Write for example ${name} = ${example}.`));
  return undefined;
}

function readTexts(reader: BlockReader, { name, expression }: Attribute, schema: AttributeSchema): Answer {
  const secretsAllowed = schema.secret === true;
  const read = (value: Value | undefined, range: Range, element?: Expression): LocatedString | undefined => {
    if (!value) return undefined;
    const what = { name: `each element of ${name}`, range, ...(element && { expression: element }) };
    const text = textOf(value);
    if (text === undefined) return wrongType(reader, what, 'a string, number or bool', value);
    const item = { text, range };
    return check(reader, schema, item, name) && item;
  };
  if (expression.items)
    return gather(
      expression.items.map((item) =>
        read(evaluateExpression(reader, item, secretsAllowed), item.range, item),
      ),
      true,
    );
  const value = evaluateExpression(reader, expression, secretsAllowed);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  if (!('items' in value))
    return wrongType(reader, { name, range: expression.range, expression }, 'a list of strings', value);
  return gather(
    value.items.map((item) => read(item, expression.range)),
    false,
  );
}

function gather(items: (LocatedString | undefined)[], written: boolean): Answer {
  const sound = items.filter((item) => item !== undefined);
  return { kind: 'strings', items: sound, written, incomplete: sound.length < items.length };
}

const NO_PARAMETERS: ReadonlySet<string> = new Set(['map', 'object', 'null']);

/** `put` accepted parameters of any name before it had `env`: a string named `env` is still a parameter. */
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
  return !NO_PARAMETERS.has(kind);
}

function wrongType(reader: BlockReader, what: ValueSubject, wanted: string, value: Value): undefined {
  reader.report(describeWrongType(reader, what, wanted, value));
}

function describeWrongType(
  reader: BlockReader,
  what: ValueSubject,
  wanted: string,
  value: Value,
): Diagnostic {
  const { name, range, expression } = what;
  const message = `${name} must be ${wanted}, not ${describeValue(value)}`;
  const diagnostic = diagnose('wrong-type', range, message, helpForType(what, wanted, value));
  return expression ? withValues(reader, expression, diagnostic) : diagnostic;
}

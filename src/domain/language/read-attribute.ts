import type { AttributeSchema } from './block-schema.ts';
import { diagnose } from './diagnostic.ts';
import { secondsOf, suggestDuration } from './duration.ts';
import { evaluateExpression, referencesOf, type BlockReader } from './evaluate-expression.ts';
import { textOf, type ValueSubject } from './help-for-type.ts';
import { didYouMean } from './suggest.ts';
import type { Attribute, Expression, Range, Value } from './syntax.ts';
import { wrongType } from './wrong-type.ts';

/** A string, and its range in the source text. */
export interface LocatedString {
  text: string;
  range: Range;
}

/** The value of an attribute after validation, by the type in its schema. */
export type AttributeValue =
  | { kind: 'string'; text: string }
  | { kind: 'bool'; value: boolean }
  /**
   * `written`: the source text has a list literal, so an empty list is empty on purpose. `incomplete`: some
   * elements had errors, which were reported, and are not in `items`. Then only code that checks each element
   * separately may use `items`.
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

/**
 * `null`: the value is null, so the attribute counts as absent. `undefined`: there is no value, because of an
 * error that was reported or because the value is unknown.
 */
type ReadResult = AttributeValue | null | undefined;

type Read = (reader: BlockReader, attribute: Attribute, schema: AttributeSchema) => ReadResult;

/** Evaluates an attribute, and checks its value against the schema. Reports errors. */
export const readAttribute: Read = (reader, attribute, schema) =>
  readers[schema.type](reader, attribute, schema);

/**
 * Returns a function that evaluates the attribute and then calls `read` with the value, unless the value is
 * null.
 */
function evaluated(
  read: (reader: BlockReader, value: Value, subject: ValueSubject, schema: AttributeSchema) => ReadResult,
): Read {
  return (reader, { name, expression }, schema) => {
    const value = evaluateExpression(reader, expression, schema.secret === true);
    if (!value) return undefined;
    const subject = { name, range: expression.range, expression };
    return value.kind === 'null' ? null : read(reader, value, subject, schema);
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
  bool: evaluated((reader, value, subject) =>
    value.kind === 'bool' ? value : wrongType(reader, subject, 'true or false', value),
  ),
  integer: evaluated((reader, value, subject, schema) =>
    value.kind === 'number'
      ? readInteger(reader, subject, value.digits, schema)
      : wrongType(reader, subject, 'a number', value),
  ),
  duration: evaluated((reader, value, subject, schema) =>
    value.kind === 'string'
      ? readDuration(reader, subject, value.text, schema)
      : wrongType(reader, subject, 'a duration', value),
  ),
  string: evaluated((reader, value, subject, schema) => {
    const text = readText(subject, value);
    if (text === undefined) return wrongType(reader, subject, 'a string', value);
    return (
      checkChoice(reader, schema, { text, range: subject.range }, subject.name) && { kind: 'string', text }
    );
  }),
};

/**
 * The text of a string, or of a quoted expression such as `"${var.replicas}"`, which people mean as a text
 * although HCL evaluates it to a number. Undefined: the value is not a text.
 */
function readText({ expression }: ValueSubject, value: Value): string | undefined {
  return value.kind === 'string' || expression?.quoted ? textOf(value) : undefined;
}

function readInteger(
  { report }: BlockReader,
  { name, range }: ValueSubject,
  digits: string,
  schema: AttributeSchema,
): ReadResult {
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
): ReadResult {
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

/** Returns true if the schema allows the text. Otherwise reports an error and returns undefined. */
function checkChoice(
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

function readConstant(reader: BlockReader, { name, expression }: Attribute): ReadResult {
  if (referencesOf(expression).length > 0) {
    const message = `${name} must be a fixed value: it cannot refer to anything`;
    reader.report(diagnose('unknown-reference', expression.range, message, 'Write the value itself.'));
    return undefined;
  }
  const value = evaluateExpression(reader, expression, false);
  if (!value) return undefined;
  return value.kind === 'null' ? null : { kind: 'value', value };
}

/**
 * Reads a map of strings. Numbers and bools become strings, and an entry whose value is null counts as
 * absent. An entry of a wrong type is reported and left out, so that the names of the other entries are still
 * checked.
 */
function readEnvironment(reader: BlockReader, value: Value, subject: ValueSubject): ReadResult {
  if (!('entries' in value)) return wrongType(reader, subject, 'a map of strings', value);
  const ranges = new Map(subject.expression?.entries?.map((entry) => [keyOf(entry.key), entry.value.range]));
  const variables = value.entries.flatMap(([name, element]): (EnvironmentVariable | undefined)[] => {
    if (element.kind === 'null') return [];
    const range = ranges.get(name) ?? subject.range;
    const text = textOf(element);
    if (text !== undefined) return [{ name, text, range }];
    return [
      wrongType(reader, { name: `${subject.name}.${name}`, range }, 'a string, number or bool', element),
    ];
  });
  return { kind: 'environment', variables: variables.filter((variable) => variable !== undefined) };
}

const keyOf = ({ keyword, value }: Expression): string | undefined =>
  value?.kind === 'string' ? value.text : keyword;

function readKeyword(
  reader: BlockReader,
  { name, expression }: Attribute,
  schema: AttributeSchema,
): ReadResult {
  if (expression.value?.kind === 'null') return null;
  // A quoted word is accepted, because people often write quotes, as older versions of HCL required, and
  // because the meaning is clear.
  const quoted = expression.value?.kind === 'string' ? expression.value.text : undefined;
  const word = expression.keyword ?? quoted;
  if (word !== undefined)
    return (
      checkChoice(reader, schema, { text: word, range: expression.range }, name) && { kind: 'keyword', word }
    );
  const message = `${name} must be a bare word`;
  const [example = 'string'] = schema.choices ?? [];
  reader.report(diagnose('wrong-type', expression.range, message, `Write for example ${name} = ${example}.`));
  return undefined;
}

function readTexts(
  reader: BlockReader,
  { name, expression }: Attribute,
  schema: AttributeSchema,
): ReadResult {
  const secretsAllowed = schema.secret === true;
  const readElement = (
    value: Value | undefined,
    range: Range,
    element?: Expression,
  ): LocatedString | undefined => {
    if (!value) return undefined;
    const subject = { name: `each element of ${name}`, range, ...(element && { expression: element }) };
    const text = textOf(value);
    if (text === undefined) return wrongType(reader, subject, 'a string, number or bool', value);
    const item = { text, range };
    return checkChoice(reader, schema, item, name) && item;
  };
  if (expression.items)
    return listOfStrings(
      expression.items.map((item) =>
        readElement(evaluateExpression(reader, item, secretsAllowed), item.range, item),
      ),
      true,
    );
  const value = evaluateExpression(reader, expression, secretsAllowed);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  if (!('items' in value))
    return wrongType(reader, { name, range: expression.range, expression }, 'a list of strings', value);
  return listOfStrings(
    value.items.map((item) => readElement(item, expression.range)),
    false,
  );
}

function listOfStrings(items: (LocatedString | undefined)[], written: boolean): ReadResult {
  const valid = items.filter((item) => item !== undefined);
  return { kind: 'strings', items: valid, written, incomplete: valid.length < items.length };
}

import type { AttributeSchema } from './block-schema.ts';
import { diagnose } from './diagnostic.ts';
import { evaluateExpression, referencesOf } from './evaluate-expression.ts';
import type { Reader } from './evaluate-expression.ts';
import type { Attribute, Range, Value } from './syntax.ts';

export interface Text {
  text: string;
  range: Range;
}

export type AttributeValue =
  | { kind: 'string'; text: string }
  | { kind: 'bool'; value: boolean }
  | { kind: 'strings'; items: Text[] }
  | { kind: 'keyword'; word: string }
  | { kind: 'constant'; value: Value };

/** `null`: written as null, which is as if it were not there. `undefined`: wrong, and reported. */
export type Answer = AttributeValue | null | undefined;

export function readAttribute(reader: Reader, attribute: Attribute, schema: AttributeSchema): Answer {
  if (schema.type === 'keyword') return readKeyword(reader, attribute);
  if (schema.type === 'strings') return readTexts(reader, attribute, schema.secret === true);
  if (schema.type === 'constant') return readConstant(reader, attribute);
  return readPlain(reader, attribute, schema);
}

function readPlain(reader: Reader, { name, expression }: Attribute, schema: AttributeSchema): Answer {
  const value = evaluateExpression(reader, expression, schema.secret === true);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  if (schema.type === 'string' && value.kind === 'string') return value;
  if (schema.type === 'bool' && value.kind === 'bool') return value;
  return wrongType(
    reader,
    expression.range,
    `${name} must be ${schema.type === 'bool' ? 'true or false' : 'a string'}`,
    value,
  );
}

function readConstant(reader: Reader, { name, expression }: Attribute): Answer {
  if (referencesOf(expression).length > 0) {
    const message = `${name} must be a fixed value: it cannot refer to anything`;
    reader.report(diagnose('unknown-reference', expression.range, message, 'Write the value itself.'));
    return undefined;
  }
  const value = evaluateExpression(reader, expression, false);
  if (!value) return undefined;
  return value.kind === 'null' ? null : { kind: 'constant', value };
}

/** A parameter's text: numbers and bools become text, null is as if it were not there. */
export function readParameter(reader: Reader, { name, expression }: Attribute): string | null | undefined {
  const value = evaluateExpression(reader, expression, true);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  return (
    textOf(value) ?? wrongType(reader, expression.range, `${name} must be a string, number or bool`, value)
  );
}

function textOf(value: Value): string | undefined {
  if (value.kind === 'string') return value.text;
  if (value.kind === 'number') return value.digits;
  return value.kind === 'bool' ? String(value.value) : undefined;
}

function readKeyword(reader: Reader, { name, expression }: Attribute): Answer {
  if (expression.keyword !== undefined) return { kind: 'keyword', word: expression.keyword };
  if (expression.value?.kind === 'null') return null;
  // A type with parameters, such as list(string), is called by its first word.
  const [call] = expression.functions;
  if (call) return { kind: 'keyword', word: call.name };
  // A quoted word is what people try first: take it, as older HCL did, where it is plainly meant.
  if (expression.value?.kind === 'string') return { kind: 'keyword', word: expression.value.text };
  const message = `${name} must be a bare word`;
  reader.report(diagnose('wrong-type', expression.range, message, `Write for example ${name} = string.`));
  return undefined;
}

function readTexts(reader: Reader, { name, expression }: Attribute, secretsAllowed: boolean): Answer {
  const rule = `${name} must be a list of strings`;
  if (expression.items) {
    const items = expression.items.map((item) => {
      const value = evaluateExpression(reader, item, secretsAllowed);
      return value && asText(reader, value, item.range, `each element of ${name} must be a string`);
    });
    return gather(items);
  }
  const value = evaluateExpression(reader, expression, secretsAllowed);
  if (!value) return undefined;
  if (value.kind === 'null') return null;
  if (value.kind !== 'list' && value.kind !== 'set' && value.kind !== 'tuple') {
    return wrongType(reader, expression.range, rule, value);
  }
  return gather(
    value.items.map((item) =>
      asText(reader, item, expression.range, `each element of ${name} must be a string`),
    ),
  );
}

function asText(reader: Reader, value: Value, range: Range, rule: string): Text | undefined {
  return value.kind === 'string' ? { text: value.text, range } : wrongType(reader, range, rule, value);
}

function gather(items: (Text | undefined)[]): Answer {
  const sound = items.filter((item) => item !== undefined);
  return sound.length < items.length ? undefined : { kind: 'strings', items: sound };
}

const article = { string: 'a string', number: 'a number', bool: 'a bool', null: 'null' } as const;

export function describeValue({ kind }: Value): string {
  if (kind === 'map' || kind === 'object') return 'a map';
  if (kind === 'list' || kind === 'set' || kind === 'tuple') return 'a list';
  return article[kind];
}

function wrongType(reader: Reader, range: Range, rule: string, value: Value): undefined {
  const text = textOf(value);
  const help = {
    'true or false': 'Write true or false without quotes.',
    'a string': text === undefined ? undefined : `Write it in double quotes: "${text}".`,
    'a list of strings': 'Write ["…"], even for one.',
  }[rule.slice(rule.indexOf(' must be ') + 9)];
  reader.report(diagnose('wrong-type', range, `${rule}, not ${describeValue(value)}`, help));
}

import { typeAt, valueAt } from '#domain/language/block-values.ts';
import { diagnose, diagnoseProblem, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { describeValue } from '#domain/language/help-for-type.ts';
import type { JsonValue } from '#domain/language/json-value.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closestName } from '#domain/language/suggest.ts';
import type { Expression, Value } from '#domain/language/syntax.ts';

type Simple = 'string' | 'number' | 'bool';

/** `simple`: a primitive type. HCL itself reads all others. */
export interface VariableType {
  simple?: Simple;
  expression: Expression;
}

const simple: readonly Simple[] = ['string', 'number', 'bool'];
/** Type constructors, and `any`. */
const constructors: readonly string[] = ['list', 'set', 'map', 'object', 'tuple', 'any'];
const hints: Readonly<Record<string, Simple>> = {
  boolean: 'bool',
  int: 'number',
  integer: 'number',
  float: 'number',
  text: 'string',
};

/** Reads the type. Returns undefined after reporting an error. */
export function readVariableType(block: ReadBlock, reader: BlockReader): VariableType | undefined {
  const expression = typeAt(block, 'type');
  if (!expression) return undefined;
  // People often quote the word, as older HCL required. It is accepted, because its meaning is clear.
  const quoted = expression.value?.kind === 'string' ? expression.value.text : undefined;
  const word = expression.keyword ?? quoted;
  const primitive = simple.find((name) => name === word);
  if (primitive) return { simple: primitive, expression };
  if (word !== undefined && !constructors.includes(word)) {
    reader.report(explainBadType(word, expression));
    return undefined;
  }
  const { problems } = reader.convert(expression);
  for (const problem of problems) reader.report(diagnoseProblem(problem, 'variable-type'));
  return problems.length === 0 ? { expression } : undefined;
}

function explainBadType(word: string, { range }: Expression): Diagnostic {
  const meant = closestName(word, [...simple, ...constructors, ...Object.keys(hints)]) ?? '';
  const hint = meant === '' ? '' : `; did you mean ${hints[meant] ?? meant}?`;
  return diagnose('variable-type', range, `"${word}" is not a type${hint}`);
}

/**
 * The default, converted to the type of the variable. Undefined if there is none; `wrong` after reporting an
 * error.
 */
export function defaultOf(
  block: ReadBlock,
  type: VariableType | undefined,
  reader: BlockReader,
): Value | 'wrong' | undefined {
  const attribute = block.attributes.get('default');
  if (!attribute) return undefined;
  const value = valueAt(block, 'default');
  if (!value || !type) return 'wrong';
  if (type.simple !== undefined) {
    if (value.kind === type.simple) return value;
    const message = `default must be a ${type.simple}, not ${describeValue(value)}`;
    reader.report(diagnose('wrong-type', attribute.range, message));
    return 'wrong';
  }
  const { value: converted, problems } = reader.convert(type.expression, value);
  if (converted) return converted;
  const message = `default does not fit the type: ${problems[0]?.detail ?? describeValue(value)}`;
  reader.report(diagnose('wrong-type', attribute.range, message));
  return 'wrong';
}

/** Parses a string as a primitive type, or returns the reason why it is invalid. */
export function valueOfText(type: Simple, text: string): { value: Value } | { reason: string } {
  if (type === 'string') return { value: { kind: 'string', text } };
  if (type === 'bool') {
    return text === 'true' || text === 'false'
      ? { value: { kind: 'bool', value: text === 'true' } }
      : { reason: 'is not true or false' };
  }
  return /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/.test(text)
    ? { value: { kind: 'number', digits: text } }
    : { reason: 'is not a number' };
}

/** Converts a JSON value. A string is read as JSON text. Undefined: the string is not valid JSON. */
export function fromJson(json: JsonValue): Value | undefined {
  if (typeof json !== 'string') return valueOfJson(json);
  try {
    return valueOfJson(JSON.parse(json));
  } catch {
    return undefined;
  }
}

function valueOfJson(json: JsonValue): Value {
  if (json === null) return { kind: 'null' };
  if (typeof json === 'string') return { kind: 'string', text: json };
  if (typeof json === 'boolean') return { kind: 'bool', value: json };
  if (typeof json === 'number') return { kind: 'number', digits: String(json) };
  if (Array.isArray(json)) return { kind: 'tuple', items: json.map(valueOfJson) };
  return {
    kind: 'object',
    entries: Object.entries(json).map(([key, value]) => [key, valueOfJson(value)]),
  };
}

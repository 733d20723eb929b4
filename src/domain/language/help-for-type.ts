import type { Expression, Range, Value } from './syntax.ts';

/** The attribute or list element that a value belongs to, for messages. */
export interface ValueSubject {
  name: string;
  range: Range;
  /** Absent for an element of a list that is not written as a list literal. */
  expression?: Expression;
}

/** The string form of a string, number or bool. Undefined for other values. */
export function textOf(value: Value): string | undefined {
  if (value.kind === 'string') return value.text;
  if (value.kind === 'number') return value.digits;
  return value.kind === 'bool' ? String(value.value) : undefined;
}

const ARTICLES = { string: 'a string', number: 'a number', bool: 'a bool', null: 'null' } as const;

/** The type of the value in words. */
export function describeValue({ kind }: Value): string {
  if (kind === 'map' || kind === 'object') return 'a map';
  if (kind === 'list' || kind === 'tuple') return 'a list';
  return kind === 'set' ? 'a set' : ARTICLES[kind];
}

/**
 * The help of a diagnostic about a value of the wrong type. `expected`: the right type in words, as in the
 * message. Undefined: there is no special help.
 */
export function helpForType(subject: ValueSubject, expected: string, value: Value): string | undefined {
  const quoted = value.kind === 'string';
  switch (expected) {
    case 'true or false':
      return quoted ? 'Write true or false without quotes.' : 'Write true or false.';
    case 'a number':
      return quoted ? 'Write the number without quotes.' : 'Write a number such as 1.';
    case 'a duration':
      return helpForDuration(subject, value);
    case 'a string':
      return helpForText(subject, value);
    case 'a list of strings':
      return 'Write ["…"], even for one.';
    case 'a list of strings, numbers or bools':
      return 'Write [ … ], even for one.';
    case 'a map of strings':
      return 'Write { NAME = "value" }.';
    default:
      return undefined;
  }
}

const isLiteral = ({ expression }: ValueSubject): boolean => expression?.value !== undefined;

function helpForDuration(subject: ValueSubject, value: Value): string {
  if (value.kind !== 'number') return 'Write a text with units, such as "90s", "5m" or "1h30m".';
  return isLiteral(subject)
    ? `Write "${value.digits}s" for seconds, or "${value.digits}m" for minutes.`
    : 'Write it in a text with its unit: "${…}s".';
}

function helpForText(subject: ValueSubject, value: Value): string | undefined {
  const text = textOf(value);
  if (text === undefined) return undefined;
  if (isLiteral(subject)) return `Write it in double quotes: "${text}".`;
  if (subject.name === 'condition') return helpForCondition(subject);
  return 'Write it in a text, "${…}", or give it to tostring.';
}

/**
 * The help for a `condition` that is not a text. The build evaluates the text of a condition. HCL evaluates a
 * comparison outside of a text, while the pipeline is read.
 */
function helpForCondition({ expression }: ValueSubject): string {
  const [reference] = expression?.variables ?? [];
  if (!reference) return `Write the comparison inside a text, such as "$INPUT_ENV == 'prod'".`;
  const name = [reference.name, ...reference.steps.map((step) => step.name)].join('.');
  return `Write the comparison inside a text: condition = "'\${${name}}' == 'prod'".`;
}

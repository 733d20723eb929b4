import { describeValue, textOf } from '#domain/language/help-for-type.ts';
import type { JsonValue } from '#domain/language/json-value.ts';
import { didYouMean } from '#domain/language/suggest.ts';
import type { Value } from '#domain/language/syntax.ts';
import type { Input } from './pipeline.ts';
import { fromJson, valueOfText } from './variable-types.ts';

/**
 * Values that a person gives to inputs, by name: values of JSON, or the texts of a form or command line. An
 * input with null has no value.
 */
export type GivenInputs = Readonly<Record<string, JsonValue>>;

/** The value of each input of a job, by name, as its variable holds it. */
export type InputValues = Readonly<Record<string, string>>;

export interface InputProblem {
  kind: 'required' | 'unknown' | 'invalid';
  /** A sentence. */
  message: string;
}

/** The values of an automatic build. */
export function automaticInputs(inputs: readonly Input[]): InputValues {
  return Object.fromEntries(inputs.map((input) => [input.name, input.default]));
}

/** The values of a build that a person triggered, or everything that is wrong with the given ones. */
export function chooseInputs(
  inputs: readonly Input[],
  given: GivenInputs,
): { values: InputValues } | { problems: InputProblem[] } {
  const read = inputs.map((input) => readInput(input, given));
  const problems = [...unknownInputs(inputs, given), ...read.flatMap(({ problem }) => problem ?? [])];
  if (problems.length > 0) return { problems };
  return { values: Object.fromEntries(read.flatMap(({ name, text }) => [[name, text ?? '']])) };
}

interface ReadInput {
  name: string;
  text?: string;
  problem?: InputProblem;
}

function readInput(input: Input, given: GivenInputs): ReadInput {
  const { name, required = false } = input;
  const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null;
  if (value === null && !required) return { name, text: input.default };
  if (value === null) return { name, problem: { kind: 'required', message: requiredMessage(input) } };
  const checked = checkInputValue(input, valueOfGiven(input, value), describeGiven);
  if ('text' in checked) return { name, text: checked.text };
  const { reason, help = '' } = checked;
  return { name, problem: { kind: 'invalid', message: `Input ${name} ${reason}${help}.` } };
}

function requiredMessage({ name, type, options = [] }: Input): string {
  const expected = options.length > 0 && type === 'choice' ? 'one of its options' : EXPECTED[type];
  return `Input ${name} has no default: give it ${expected}${listOptions(options)}.`;
}

const MAX_OPTIONS_NAMED = 20;

function listOptions(options: readonly string[]): string {
  if (options.length === 0) return '';
  const more = options.length > MAX_OPTIONS_NAMED ? ', …' : '';
  return `: ${options.slice(0, MAX_OPTIONS_NAMED).join(', ')}${more}`;
}

function unknownInputs(inputs: readonly Input[], given: GivenInputs): InputProblem[] {
  const names = inputs.map(({ name }) => name);
  const unknown = Object.keys(given).filter((name) => !names.includes(name));
  return unknown.map((name) => {
    const hint = names.length === 0 ? '; it has no inputs' : didYouMean(name, names);
    const end = hint.endsWith('?') ? '' : '.';
    return { kind: 'unknown', message: `The job has no input ${JSON.stringify(name)}${hint}${end}` };
  });
}

/**
 * Converts a given value. A text is never read as JSON, but a list may be written as one text with commas.
 */
function valueOfGiven({ type }: Pick<Input, 'type'>, given: JsonValue): Value {
  if (typeof given !== 'string') return fromJson(given) ?? { kind: 'null' };
  if (type !== 'list') return { kind: 'string', text: given };
  const texts = given === '' ? [] : given.split(',');
  return { kind: 'tuple', items: texts.map((text) => ({ kind: 'string', text })) };
}

/**
 * If the input accepts the value, returns its text as the variable holds it. Otherwise returns the reason:
 * the end of a sentence, and a hint for readers who cannot see the text of the pipeline.
 */
export function checkInputValue(
  { type, options = [] }: Pick<Input, 'type' | 'options'>,
  value: Value,
  describe = describeValue,
): { text: string } | { reason: string; help?: string } {
  const texts = textsOf(value, type);
  if (!texts) return { reason: `must be ${EXPECTED[type]}, not ${describe(value)}` };
  const unknown = texts.find((text) => options.length > 0 && !options.includes(text));
  if (unknown !== undefined)
    return { reason: `${JSON.stringify(unknown)} is not one of the options`, help: listOptions(options) };
  const hasComma = type === 'list' && texts.some((text) => text.includes(','));
  return hasComma ? { reason: 'of a list cannot have a comma in an element' } : { text: texts.join(',') };
}

/**
 * Quotes a text instead of naming its type. On the command line every value is a text, so only its spelling
 * can be wrong.
 */
function describeGiven(value: Value): string {
  if (value.kind !== 'string') return describeValue(value);
  return JSON.stringify(value.text.slice(0, MAX_QUOTED_LENGTH));
}

const MAX_QUOTED_LENGTH = 100;

const EXPECTED: Readonly<Record<Input['type'], string>> = {
  string: 'a string',
  number: 'a number',
  bool: 'true or false',
  choice: 'a string',
  list: 'a list of strings',
};

function textsOf(value: Value, type: Input['type']): string[] | undefined {
  if (type === 'list') return elementsOf(value);
  const kind = type === 'choice' ? 'string' : type;
  const written = value.kind === 'string' && kind !== 'string' ? readSpelling(kind, value.text) : value;
  const text = written?.kind === kind ? textOf(written) : undefined;
  return text === undefined ? undefined : [text];
}

function elementsOf(value: Value): string[] | undefined {
  const items = 'items' in value ? value.items : undefined;
  const texts = items?.flatMap((item) => (item.kind === 'string' ? [item.text] : []));
  return texts?.length === items?.length ? texts : undefined;
}

/** Reads a number or bool that was given as a text, for example by a form. */
function readSpelling(type: 'number' | 'bool', text: string): Value | undefined {
  const read = valueOfText(type, text);
  return 'value' in read ? read.value : undefined;
}

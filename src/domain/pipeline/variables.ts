import { diagnose } from '#domain/language/diagnostic.ts';
import type { Report } from '#domain/language/diagnostic.ts';
import { describeValue } from '#domain/language/read-attribute.ts';
import { labelAt } from '#domain/language/read-block.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closest } from '#domain/language/suggest.ts';
import type { Label, Range, Value } from '#domain/language/syntax.ts';
import { checkName, claimName } from './name.ts';

/** A value from outside. With `secret` the value is a placeholder (`secret-placeholder.ts`), never the secret itself. */
export interface GivenVariable {
  value: string | number | boolean;
  secret?: boolean;
}

export type GivenVariables = Readonly<Record<string, GivenVariable>>;

/**
 * A key of given variables that no variable can be named by: each of the others may be given a value too, which nobody knows yet.
 * What depends on one of them is not judged, so that no error is told which another value would not cause.
 */
export const OTHERS = '*';

export interface Variables {
  values: [string, Value][];
  secrets: Set<string>;
  /** Declared, but without a value for a reason that has been reported. */
  broken: Set<string>;
  /** Declared, and perhaps given a value elsewhere. */
  unknown: Set<string>;
}

type VariableType = 'string' | 'number' | 'bool';

/** Value precedence: given values, then defaults. */
export function readVariables(
  blocks: readonly ReadBlock[],
  given: GivenVariables,
  report: Report,
): Variables {
  const variables: Variables = { values: [], secrets: new Set(), broken: new Set(), unknown: new Set() };
  const taken = new Map<string, Label>();
  for (const block of blocks) {
    const label = labelAt(block, 0);
    const sound = checkName(report, 'variable', 'variable', label);
    if (!claimName(taken, report, 'variable', label) || !sound) continue;
    const outside = givenFor(label.text, given);
    const value = valueOf(block, label, outside, report);
    if (value === 'unknown') variables.unknown.add(label.text);
    else if (value) variables.values.push([label.text, value]);
    else variables.broken.add(label.text);
    if (outside !== 'unknown' && outside?.secret === true) variables.secrets.add(label.text);
  }
  const undeclared = Object.keys(given).filter((name) => name !== OTHERS && !taken.has(name));
  for (const name of undeclared) reportUndeclared(name, [...taken.keys()], report);
  return variables;
}

function givenFor(name: string, given: GivenVariables): GivenVariable | 'unknown' | undefined {
  if (Object.hasOwn(given, name)) return given[name];
  return Object.hasOwn(given, OTHERS) ? 'unknown' : undefined;
}

function valueOf(
  block: ReadBlock,
  label: Label,
  given: GivenVariable | 'unknown' | undefined,
  report: Report,
): Value | 'unknown' | undefined {
  const type = readType(block, report);
  const fallback = readDefault(block, type, report);
  if (!type || fallback === 'wrong') return undefined;
  if (given === 'unknown') return given;
  if (given) return convertGiven(given, { type, name: label.text, range: block.range }, report);
  if (fallback) return fallback;
  report(
    diagnose('variable-missing', block.range, `the variable "${label.text}" has no value and no default`),
  );
  return undefined;
}

const typeHints: Readonly<Record<string, VariableType>> = {
  boolean: 'bool',
  int: 'number',
  integer: 'number',
  float: 'number',
  text: 'string',
};
const laterTypes: readonly string[] = ['list', 'set', 'map', 'object', 'tuple', 'any'];
const types: readonly VariableType[] = ['string', 'number', 'bool'];

function readType({ attributes }: ReadBlock, report: Report): VariableType | undefined {
  const attribute = attributes.get('type');
  if (attribute?.value?.kind !== 'keyword') return undefined;
  const { word } = attribute.value;
  const type = types.find((name) => name === word);
  if (type) return type;
  if (laterTypes.includes(word)) {
    const message = `the type ${word} is known, but this version does not have it yet`;
    report(diagnose('later-feature', attribute.range, message));
    return undefined;
  }
  const meant = closest(word, [...types, ...Object.keys(typeHints)]) ?? '';
  const hint = meant === '' ? '' : `; did you mean ${typeHints[meant] ?? meant}?`;
  report(diagnose('variable-type', attribute.range, `"${word}" is not a type${hint}`));
  return undefined;
}

function readDefault(
  { attributes }: ReadBlock,
  type: VariableType | undefined,
  report: Report,
): Value | 'wrong' | undefined {
  const attribute = attributes.get('default');
  if (!attribute) return undefined;
  const value = attribute.value?.kind === 'constant' ? attribute.value.value : undefined;
  if (!value || !type) return 'wrong';
  if (value.kind === type) return value;
  report(diagnose('wrong-type', attribute.range, `default must be a ${type}, not ${describeValue(value)}`));
  return 'wrong';
}

function convertGiven(
  { value, secret }: GivenVariable,
  target: { type: VariableType; name: string; range: Range },
  report: Report,
): Value | undefined {
  const refuse = (reason: string): undefined => {
    report(diagnose('variable-value', target.range, `the value given for "${target.name}" ${reason}`));
  };
  if (secret === true && target.type !== 'string')
    return refuse('is secret: the type of the variable must be string');
  const text = String(value);
  if (target.type === 'string') return { kind: 'string', text };
  if (target.type === 'bool') {
    return text === 'true' || text === 'false'
      ? { kind: 'bool', value: text === 'true' }
      : refuse('is not true or false');
  }
  if (/^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/.test(text)) return { kind: 'number', digits: text };
  return refuse('is not a number');
}

function reportUndeclared(name: string, declared: readonly string[], report: Report): void {
  const meant = closest(name, declared);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  const message = `a value is given for the variable "${name}", which is not declared${hint}`;
  report(diagnose('variable-undeclared', undefined, message));
}

import { labelAt } from '#domain/language/block-values.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import type { JsonValue } from '#domain/language/json-value.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closestName } from '#domain/language/suggest.ts';
import type { Label, Value } from '#domain/language/syntax.ts';
import { checkName, claimName } from './name.ts';
import { makeSecretPlaceholder } from './secret-placeholder.ts';
import { defaultOf, fromJson, readVariableType, valueOfText, type VariableType } from './variable-types.ts';

/**
 * A value from the manifest or the command line. With `secret`, the value is a placeholder (see
 * `secret-placeholder.ts`), never the secret itself.
 */
export interface GivenVariable {
  value: JsonValue;
  secret?: boolean;
}

export type GivenVariables = Readonly<Record<string, GivenVariable>>;

/**
 * A key of the given variables that cannot be the name of a variable. It means that all other variables may
 * have values that are not known here. Expressions that depend on them are not checked, because their errors
 * may not occur with the real values.
 */
export const UNKNOWN_OTHERS = '*';

export interface Variables {
  values: [string, Value][];
  /** Names of declared variables that have no value because of an error, which was reported. */
  broken: Set<string>;
  /** Names of declared variables whose value is not known here. */
  unknown: Set<string>;
  /** Variables whose value a `secret` block provides. */
  secret: Set<string>;
}

interface VariablesContext {
  reader: BlockReader;
  report: Report;
  given: GivenVariables;
  /** Labels of variables that have a `secret` block. */
  withSecret: ReadonlySet<string>;
}

/**
 * Reads the declared variables. A given value takes precedence over the secret block, and that block over the
 * default.
 */
export function readDeclaredVariables(blocks: readonly ReadBlock[], context: VariablesContext): Variables {
  const { given, report } = context;
  const variables: Variables = { values: [], broken: new Set(), unknown: new Set(), secret: new Set() };
  const taken = new Map<string, Label>();
  for (const block of blocks) {
    const label = labelAt(block, 0);
    const isNameValid = checkName(report, 'variable', 'variable', label);
    if (!claimName(taken, report, 'variable', label) || !isNameValid) continue;
    const value = valueOf(block, label, context);
    if (value === 'unknown') variables.unknown.add(label.text);
    else if (value) variables.values.push([label.text, value]);
    else variables.broken.add(label.text);
    if (context.withSecret.has(label.text) && !Object.hasOwn(given, label.text))
      variables.secret.add(label.text);
  }
  const undeclared = Object.keys(given).filter((name) => name !== UNKNOWN_OTHERS && !taken.has(name));
  for (const name of undeclared) reportUndeclared(name, [...taken.keys()], report);
  return variables;
}

function valueOf(block: ReadBlock, label: Label, context: VariablesContext): Value | 'unknown' | undefined {
  const { reader, report, given, withSecret } = context;
  const type = readVariableType(block, reader);
  const fallback = defaultOf(block, type, reader);
  if (!type || fallback === 'wrong') return undefined;
  const givenValue = Object.hasOwn(given, label.text) ? given[label.text] : undefined;
  if (!givenValue && Object.hasOwn(given, UNKNOWN_OTHERS)) return 'unknown';
  if (givenValue) return convertGiven(givenValue, { block, label, type, reader });
  if (withSecret.has(label.text)) return secretValue(block, label, type, report);
  if (fallback) return fallback;
  if (reader.partial) return undefined;
  const message = `the variable "${label.text}" has no value and no default`;
  report({ ...diagnose('variable-missing', block.range, message), variable: label.text });
  return undefined;
}

function secretValue(
  { range }: ReadBlock,
  { text }: Label,
  type: VariableType,
  report: Report,
): Value | undefined {
  if (type.simple === 'string') return { kind: 'string', text: makeSecretPlaceholder(text) };
  report(diagnose('secret-type', range, `the variable "${text}" is secret: its type must be string`));
  return undefined;
}

function convertGiven(
  { value, secret }: GivenVariable,
  { block, label, type, reader }: { block: ReadBlock; label: Label; type: VariableType; reader: BlockReader },
): Value | undefined {
  const result =
    secret === true && type.simple !== 'string'
      ? { reason: 'is secret: the type of the variable must be string' }
      : convertToType(value, type, reader);
  if ('value' in result) return result.value;
  const message = `the value given for "${label.text}" ${result.reason}`;
  reader.report({ ...diagnose('variable-value', block.range, message), variable: label.text });
  return undefined;
}

/** Converts a given value to the type of the variable, or returns the reason why it does not fit. */
function convertToType(
  given: JsonValue,
  type: VariableType,
  reader: BlockReader,
): { value: Value } | { reason: string } {
  if (type.simple !== undefined)
    return typeof given === 'object'
      ? { reason: `is not a ${type.simple}` }
      : valueOfText(type.simple, String(given));
  const json = fromJson(given);
  if (!json) return { reason: 'is a text that is not JSON; for a list write ["…"], for a map {"…": "…"}' };
  const { value, problems } = reader.convert(type.expression, json);
  if (value) return { value };
  return { reason: `does not fit its type: ${problems[0]?.detail ?? 'it is of another kind'}` };
}

function reportUndeclared(name: string, declared: readonly string[], report: Report): void {
  const meant = closestName(name, declared);
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`;
  const message = `a value is given for the variable "${name}", which is not declared${hint}`;
  report({ ...diagnose('variable-undeclared', undefined, message), variable: name });
}

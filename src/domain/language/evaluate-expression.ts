import { describeValues, stringsIn } from './describe-values.ts';
import { diagnose, diagnoseProblem, type Diagnostic, type Report } from './diagnostic.ts';
import { functionNames, helpForFunction } from './function-names.ts';
import { closestName, didYouMean } from './suggest.ts';
import type { Convert, Evaluate, Expression, Range, Reference, Scope, Value } from './syntax.ts';

/** What code that reads a block needs besides the block and its schema. */
export interface BlockReader {
  evaluate: Evaluate;
  convert: Convert;
  /** Returns the source text in a range. */
  spell: (range: Range) => string;
  scope: Scope;
  /** Returns the names of all secrets whose placeholders the text contains. */
  secretsIn: (text: string) => string[];
  /** Names of declared variables that have no value because of an error, which was reported. */
  broken: ReadonlySet<string>;
  /**
   * Names of declared variables whose value is not known here. Expressions that depend on these values are
   * not evaluated or checked.
   */
  unknown: ReadonlySet<string>;
  /**
   * The value of `each` is not known: its group is empty or has an error, which was reported, the elements of
   * the group are unknown, or the text has syntax errors.
   */
  eachBroken: boolean;
  /**
   * Names of the runners that the pipeline declares. A declared runner replaces a built-in one of the same
   * name.
   */
  runners: ReadonlySet<string>;
  report: Report;
  /**
   * The text has syntax errors. The parser may have lost a part that seems to be missing, so missing parts
   * are not reported.
   */
  partial: boolean;
  /**
   * At least one declaration could not be read. It may declare a name that seems unknown, so unknown names
   * are not reported.
   */
  incomplete: boolean;
}

/**
 * Evaluates the expression. Undefined: it has no value, and the errors were reported, or it depends on an
 * unknown value. `secretsAllowed`: the value may contain secrets.
 */
export function evaluateExpression(
  reader: BlockReader,
  expression: Expression,
  secretsAllowed: boolean,
): Value | undefined {
  if (expression.value) return expression.value;
  const results = [
    ...functionsOf(expression).map((call) => checkFunction(reader, call)),
    ...referencesOf(expression).map((reference) => checkReference(reader, expression, reference)),
  ];
  if (results.includes(false)) return undefined;
  const { value, problems } = reader.evaluate(expression, reader.scope);
  for (const problem of problems) {
    const diagnostic = diagnoseProblem({ subject: expression.range, ...problem }, 'evaluation-failed');
    const isAboutSecret = diagnostic.code === 'secret-used-indirectly';
    reader.report(isAboutSecret ? diagnostic : withValues(reader, expression, diagnostic, problem.context));
  }
  if (!value || !checkFinite(reader, value, expression.range)) return undefined;
  return secretsAllowed || checkSecrecy(reader, value, expression) ? value : undefined;
}

/**
 * The diagnostic with the values of the names in the expression: of the names at `place`, or of all names if
 * there are none at `place`. `completeMessages` adds the values to the message.
 */
export function withValues(
  { scope, secretsIn }: BlockReader,
  expression: Expression,
  diagnostic: Diagnostic,
  place = diagnostic.range,
): Diagnostic {
  const references = referencesOf(expression);
  const atPlace = references.filter(({ range }) => place && overlap(range, place));
  const values = describeValues(atPlace.length > 0 ? atPlace : references, scope, secretsIn);
  return values === undefined ? diagnostic : { ...diagnostic, values };
}

const overlap = (first: Range, second: Range): boolean =>
  first.start.byte < second.end.byte && second.start.byte < first.end.byte;

/** All references in the expression and in its parts. */
export function referencesOf(expression: Expression): Reference[] {
  return [...expression.variables, ...childrenOf(expression).flatMap(referencesOf)];
}

/**
 * Whether the expression depends on an unknown value. If so, it is also unknown whether its value is null.
 */
export function dependsOnUnknown(reader: BlockReader, expression: Expression): boolean {
  return referencesOf(expression).some((reference) => isUnknown(reader, reference));
}

function isUnknown({ unknown, eachBroken }: BlockReader, { name, steps: [step] }: Reference): boolean {
  if (name === 'each') return eachBroken;
  return name === 'var' && (step ? unknown.has(step.name) : unknown.size > 0);
}

function functionsOf(expression: Expression): Expression['functions'] {
  return [...expression.functions, ...childrenOf(expression).flatMap(functionsOf)];
}

function childrenOf({ items = [], entries = [] }: Expression): Expression[] {
  return [...items, ...entries.flatMap(({ key, value }) => [key, value])];
}

/** Whether the function exists. If not, reports an error. */
function checkFunction({ report }: BlockReader, { name, range }: Expression['functions'][number]): boolean {
  if (functionNames.includes(name)) return true;
  const message = `there is no function "${name}"${didYouMean(name, functionNames)}`;
  report(diagnose('unknown-function', range, message, helpForFunction(name)));
  return false;
}

/** Whether the value of the reference is known. If the reference is wrong, reports an error. */
function checkReference(reader: BlockReader, expression: Expression, reference: Reference): boolean {
  if (isUnknown(reader, reference)) return false;
  const root = reader.scope.get(reference.name);
  if (!root) {
    reader.report(explainUnknownRoot(reader, expression, reference));
    return false;
  }
  const [step] = reference.steps;
  if (reference.name !== 'var' || !step || root.kind !== 'object') return true;
  const members = root.entries.map(([member]) => member);
  if (members.includes(step.name)) return true;
  if (reader.broken.has(step.name) || reader.incomplete) return false;
  const names = [...members, ...reader.unknown];
  const message = `there is no variable "${step.name}"${didYouMean(step.name, names)}`;
  reader.report(diagnose('unknown-variable', step.range, message));
  return false;
}

/** Whether the value is anything but an infinite number. If it is infinite, reports an error. */
function checkFinite({ report }: BlockReader, value: Value, range: Range): boolean {
  if (value.kind !== 'number' || /\d/.test(value.digits)) return true;
  report(diagnose('evaluation-failed', range, 'the number is infinite: something is divided by zero'));
  return false;
}

/** Whether the value contains no secret. If it does, reports an error at the reference to the secret. */
function checkSecrecy(reader: BlockReader, value: Value, expression: Expression): boolean {
  const [secret] = stringsIn(value).flatMap(reader.secretsIn);
  if (secret === undefined) return true;
  const reference = referencesOf(expression).find((candidate) => containsSecret(reader, candidate, secret));
  const name = reference?.steps[0]?.name;
  const described = name === undefined ? `the secret ${secret}` : `the secret var.${name}`;
  const message = `${described} cannot be used here: everyone could read it`;
  reader.report(diagnose('secret-misplaced', reference?.range ?? expression.range, message));
  return false;
}

function containsSecret(
  { scope, secretsIn }: BlockReader,
  { name, steps }: Reference,
  secret: string,
): boolean {
  const root = scope.get(name);
  const [step] = steps;
  if (!step || root?.kind !== 'object') return false;
  const [, member] = root.entries.find(([key]) => key === step.name) ?? [];
  return member !== undefined && stringsIn(member).flatMap(secretsIn).includes(secret);
}

/** Words that other languages, such as YAML, have for true and false. */
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ['yes', true],
  ['on', true],
  ['no', false],
  ['off', false],
]);

function explainUnknownRoot(
  { scope }: BlockReader,
  { keyword, range }: Expression,
  reference: Reference,
): Diagnostic {
  const { name, steps } = reference;
  if (name === 'each') {
    const message = 'each exists only in a job or resource with for_each or matrix';
    return diagnose('unknown-reference', reference.range, message, 'Add for_each or matrix, or remove each.');
  }
  if (keyword === name && closestName(name, ['true', 'false', 'null']) !== undefined) {
    const meant = didYouMean(name, ['true', 'false', 'null']);
    return diagnose('unknown-reference', range, `"${name}" is not defined here${meant}`);
  }
  if (keyword === name) {
    const message = `"${name}" is not defined here; a text needs double quotes`;
    const truth = TRUTHS.get(name.toLowerCase());
    if (truth !== undefined)
      return diagnose(
        'unknown-reference',
        range,
        message,
        `Write ${truth}, or "${name}" if you mean the text.`,
      );
    return diagnose('unknown-reference', range, message, `If you mean the text, write "${name}".`);
  }
  if (steps.length > 0) {
    const suggestion = didYouMean(name, scope.keys());
    return diagnose('unknown-reference', reference.range, `"${name}" is not defined here${suggestion}`);
  }
  const help = `\${…} is filled in while the pipeline is read; for the shell write $${name} or $\${${name}}.`;
  return diagnose('unknown-reference', reference.range, `"${name}" is not defined here`, help);
}

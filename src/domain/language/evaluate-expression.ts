import { laterFunctions } from './block-schema.ts';
import { diagnose, diagnoseProblem } from './diagnostic.ts';
import type { Report } from './diagnostic.ts';
import { closest, didYouMean } from './suggest.ts';
import type { Evaluate, Expression, Reference, Scope, Value } from './syntax.ts';

/** What reading a block needs besides the block. */
export interface Reader {
  evaluate: Evaluate;
  scope: Scope;
  /** Variables whose value is secret: the scope holds placeholders for them. */
  secrets: ReadonlySet<string>;
  /** Variables that are declared, but have no value for a reason that has been reported. */
  broken: ReadonlySet<string>;
  /** Variables whose value nobody knows yet: what depends on them is not judged. */
  unknown: ReadonlySet<string>;
  report: Report;
  /** The text has syntax errors: what is missing may only have been cut off. */
  partial: boolean;
  /** A declaration could not be read: what others name may only seem to be missing. */
  incomplete: boolean;
}

/** The value, or undefined after reporting why there is none. */
export function evaluateExpression(
  reader: Reader,
  expression: Expression,
  secretsAllowed: boolean,
): Value | undefined {
  if (expression.value) return expression.value;
  const sound = [
    ...functionsOf(expression).map((call) => refuseFunction(reader, call)),
    ...referencesOf(expression).map(
      (reference) =>
        checkReference(reader, expression, reference) && checkSecrecy(reader, reference, secretsAllowed),
    ),
  ];
  if (sound.includes(false)) return undefined;
  const { value, problems } = reader.evaluate(expression, reader.scope);
  if (value?.kind === 'number' && !/\d/.test(value.digits)) {
    const message = 'the number is infinite: something is divided by zero';
    reader.report(diagnose('evaluation-failed', expression.range, message));
    return undefined;
  }
  for (const problem of problems) {
    reader.report(diagnoseProblem({ subject: expression.range, ...problem }, 'evaluation-failed'));
  }
  return value;
}

export function referencesOf(expression: Expression): Reference[] {
  return [...expression.variables, ...partsOf(expression).flatMap(referencesOf)];
}

/** Whether what it comes to, and so whether it is null, depends on a value that nobody knows yet. */
export function dependsOnUnknown(reader: Reader, expression: Expression): boolean {
  return referencesOf(expression).some((reference) => isUnknown(reader, reference));
}

function isUnknown({ unknown }: Reader, { name, steps: [step] }: Reference): boolean {
  return name === 'var' && (step ? unknown.has(step.name) : unknown.size > 0);
}

function functionsOf(expression: Expression): Expression['functions'] {
  return [...expression.functions, ...partsOf(expression).flatMap(functionsOf)];
}

function partsOf({ items = [], entries = [] }: Expression): Expression[] {
  return [...items, ...entries.flatMap(({ key, value }) => [key, value])];
}

function refuseFunction({ report }: Reader, { name, range }: Expression['functions'][number]): false {
  report(
    laterFunctions.includes(name)
      ? diagnose(
          'later-feature',
          range,
          `the function ${name} is known, but this version has no functions yet`,
          'Write the value itself, or compute it in the script.',
        )
      : diagnose(
          'unknown-function',
          range,
          `there is no function "${name}"${didYouMean(name, laterFunctions)}`,
          'If the shell is meant, write $(…) outside of ${…}.',
        ),
  );
  return false;
}

function checkReference(reader: Reader, expression: Expression, reference: Reference): boolean {
  const root = reader.scope.get(reference.name);
  if (!root) {
    reader.report(explainUnknownRoot(reader, expression, reference));
    return false;
  }
  if (isUnknown(reader, reference)) return false;
  const [step] = reference.steps;
  const members = root.kind === 'object' ? root.entries.map(([member]) => member) : [];
  if (!step || members.includes(step.name)) return true;
  if (reader.broken.has(step.name) || reader.incomplete) return false;
  const names = [...members, ...reader.unknown];
  const message = `there is no variable "${step.name}"${didYouMean(step.name, names)}`;
  reader.report(diagnose('unknown-variable', step.range, message));
  return false;
}

function checkSecrecy(reader: Reader, { name, steps, direct, range }: Reference, allowed: boolean): boolean {
  const [step] = steps;
  if (name !== 'var' || !(step ? reader.secrets.has(step.name) : reader.secrets.size > 0)) return true;
  const what = step ? `the secret var.${step.name}` : 'var, which holds secrets,';
  if (!direct) {
    const message = `${what} can only be used as it is or inside a text: its value is not known here`;
    reader.report(diagnose('secret-used-indirectly', range, message));
  } else if (!allowed) {
    reader.report(diagnose('secret-misplaced', range, `${what} cannot be used here: everyone could read it`));
  }
  return direct && allowed;
}

function explainUnknownRoot(reader: Reader, { keyword, range }: Expression, reference: Reference) {
  const { name, steps } = reference;
  if (name === 'each') {
    const message = 'each belongs to for_each and matrix, which this version does not have yet';
    return diagnose('later-feature', reference.range, message);
  }
  if (keyword === name && closest(name, ['true', 'false', 'null']) !== undefined) {
    return diagnose(
      'unknown-reference',
      range,
      `"${name}" is nothing known${didYouMean(name, ['true', 'false', 'null'])}`,
    );
  }
  if (keyword === name) {
    const message = `"${name}" is nothing known here; a text stands in double quotes`;
    return diagnose('unknown-reference', range, message, `Write "${name}" in quotes if the text is meant.`);
  }
  if (steps.length > 0) {
    const suggestion = didYouMean(name, reader.scope.keys());
    return diagnose('unknown-reference', reference.range, `"${name}" is nothing known here${suggestion}`);
  }
  const help = `\${…} is filled in while the pipeline is read; for the shell write $${name} or $\${${name}}.`;
  return diagnose('unknown-reference', reference.range, `"${name}" is nothing known here`, help);
}

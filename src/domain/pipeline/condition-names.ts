import { labelAt, stringAt } from '#domain/language/block-values.ts';
import { parseCondition, variablesOf } from '#domain/language/condition.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closestName } from '#domain/language/suggest.ts';
import { inputVariable } from './inputs.ts';
import { prefixOf } from './shared-prefix.ts';

const BUILD_VARIABLES = ['BUILD_NUMBER', 'BUILD_JOB_NAME', 'BUILD_PIPELINE_NAME', 'BUILD_TEAM_NAME'];

/** The condition of an `if` or `else_if`: its attribute, or without one its label. */
export function writtenCondition(block: ReadBlock): LocatedString | undefined {
  const isAttribute = block.labels.length === 0 || block.attributes.has('condition');
  return isAttribute ? stringAt(block, 'condition') : labelAt(block, 0);
}

interface Names {
  /** Absent: not all of them could be read. */
  inputs: readonly string[] | undefined;
  /** `GET_APP_` of every step of the job; absent: not all of them could be read. */
  prefixes: ReadonlySet<string> | undefined;
  report: Report;
}

/** Reports variables that nothing in the job can set: they would make the condition constant. */
export function checkConditionNames(job: ReadBlock, report: Report): void {
  const inputs = job.blocks.filter(({ type }) => type === 'input');
  const names = {
    inputs: job.misread.has('input')
      ? undefined
      : inputs.map((input) => inputVariable(labelAt(input, 0).text)),
    prefixes: isWhole(job) ? new Set(prefixesIn(job)) : undefined,
    report,
  };
  walk(job, new Set(), names);
}

const isWhole = ({ misread, blocks }: ReadBlock): boolean => misread.size === 0 && blocks.every(isWhole);

function prefixesIn({ blocks }: ReadBlock): string[] {
  return blocks.flatMap((block) => [prefixOf(block) ?? [], prefixesIn(block)].flat());
}

/** Checks conditions in order, and adds to `before` what each step sets. */
function walk({ blocks }: ReadBlock, before: Set<string>, names: Names): void {
  for (const block of blocks) {
    if (block.type === 'if' || block.type === 'else_if') checkCondition(block, before, names);
    const prefix = prefixOf(block);
    if (prefix !== undefined) before.add(prefix);
    else walk(block, before, names);
  }
}

function checkCondition(block: ReadBlock, before: ReadonlySet<string>, names: Names): void {
  const written = writtenCondition(block);
  const condition = written && parseCondition(written.text);
  if (!condition || 'reason' in condition) return;
  for (const name of variablesOf(condition)) {
    const [message, help] = explain(name, before, names) ?? [];
    if (message !== undefined) names.report(diagnose('condition-variable', written.range, message, help));
  }
}

type Explained = [message: string, help?: string] | undefined;

function explain(name: string, before: ReadonlySet<string>, { inputs, prefixes }: Names): Explained {
  if (name.startsWith('BUILD_')) return explainBuild(name);
  if (name.startsWith('INPUT_')) return inputs && explainInput(name, inputs);
  const [prefix] = /^(?:GET|TASK)_(?=\w)/.exec(name) ?? [];
  if (prefix === undefined) return [`a condition cannot see $${name}`];
  if (!prefixes || sets(before, name)) return undefined;
  if (sets(prefixes, name))
    return [`$${name} is not set yet: its step runs later`, 'Move the if after that step.'];
  const kind = prefix === 'GET_' ? 'get' : 'task';
  const help = `Correct the name: it is $${prefix}<NAME>_<KEY>, with the name of a ${kind}.`;
  return [`no ${kind} of the job sets $${name}${meantStep(name, prefixes)}`, help];
}

function explainBuild(name: string): Explained {
  if (BUILD_VARIABLES.includes(name)) return undefined;
  const message = `a condition cannot see $${name}${meant(name, BUILD_VARIABLES)}`;
  return [message, `There are $${BUILD_VARIABLES.join(', $')}.`];
}

function explainInput(name: string, inputs: readonly string[]): Explained {
  if (inputs.includes(name)) return undefined;
  const message = `the job has no input for $${name}${meant(name, inputs)}`;
  return [message, 'Declare it with an input block in the job, or correct the name.'];
}

const sets = (prefixes: ReadonlySet<string>, name: string): boolean =>
  [...prefixes].some((prefix) => name.startsWith(prefix) && name !== prefix);

function meant(name: string, known: readonly string[]): string {
  const found = closestName(name, known);
  return found === undefined ? '' : `; did you mean $${found}?`;
}

/** The step's name may itself have any number of `_`. */
function meantStep(name: string, prefixes: ReadonlySet<string>): string {
  for (let at = name.lastIndexOf('_'); at > 0; at = name.lastIndexOf('_', at - 1)) {
    const found = closestName(name.slice(0, at + 1), prefixes);
    if (found !== undefined) return `; did you mean $${found}${name.slice(at + 1)}?`;
  }
  return '';
}

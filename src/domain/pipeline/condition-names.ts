import { isFullyRead, labelAt, stringAt } from '#domain/language/block-values.ts';
import { parseCondition, variablesOf, wordsOf, type Condition } from '#domain/language/condition.ts';
import { diagnose, type Report } from '#domain/language/diagnostic.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { closestName } from '#domain/language/suggest.ts';
import { inputVariable } from './inputs.ts';
import { prefixOf } from './shared-prefix.ts';

const BUILD_VARIABLES = ['BUILD_NUMBER', 'BUILD_JOB_NAME', 'BUILD_PIPELINE_NAME', 'BUILD_TEAM_NAME'];

/** The condition of an `if` or `else_if`: the attribute `condition`, otherwise the label. */
export function writtenCondition(block: ReadBlock): LocatedString | undefined {
  const isAttribute = block.labels.length === 0 || block.attributes.has('condition');
  return isAttribute ? stringAt(block, 'condition') : labelAt(block, 0);
}

interface Names {
  /** The variables of the job's inputs. Absent if not all inputs could be read. */
  inputs: readonly string[] | undefined;
  /**
   * The prefixes of the variables that the job's steps set, such as `GET_APP_`. Absent if not all steps could
   * be read.
   */
  prefixes: ReadonlySet<string> | undefined;
  report: Report;
}

/**
 * Reports variables in conditions that nothing before the condition can set, and conditions whose result is
 * always the same.
 */
export function checkConditionNames(job: ReadBlock, report: Report): void {
  const inputs = job.blocks.filter(({ type }) => type === 'input');
  const names = {
    inputs: job.misread.has('input')
      ? undefined
      : inputs.map((input) => inputVariable(labelAt(input, 0).text)),
    prefixes: isFullyRead(job) ? new Set(prefixesIn(job)) : undefined,
    report,
  };
  checkConditionsIn(job, new Set(), names);
}

function prefixesIn({ blocks }: ReadBlock): string[] {
  return blocks.flatMap((block) => {
    const prefix = prefixOf(block);
    const inside = prefixesIn(block);
    return prefix === undefined ? inside : [prefix, ...inside];
  });
}

/** Checks conditions in order. Adds to `before` the prefix of the variables that each step sets. */
function checkConditionsIn({ blocks }: ReadBlock, before: Set<string>, names: Names): void {
  for (const block of blocks) {
    if (block.type === 'if' || block.type === 'else_if') checkCondition(block, before, names);
    const prefix = prefixOf(block);
    if (prefix !== undefined) before.add(prefix);
    else checkConditionsIn(block, before, names);
  }
}

function checkCondition(block: ReadBlock, before: ReadonlySet<string>, names: Names): void {
  const written = writtenCondition(block);
  const condition = written && parseCondition(written.text);
  if (!condition || 'reason' in condition) return;
  for (const name of variablesOf(condition)) {
    const [message, help] = explainVariable(name, before, names) ?? [];
    if (message !== undefined) names.report(diagnose('condition-variable', written.range, message, help));
  }
  const [message, help] = explainConstant(condition, isFixed(block), names) ?? [];
  if (message !== undefined) names.report(diagnose('condition-constant', written.range, message, help));
}

/** Explains that a variable lacks its `$`, or that a fixed text has no variable at all. */
function explainConstant(condition: Condition, isFixedText: boolean, names: Names): Explanation {
  const words = wordsOf(condition);
  const variable = words.find((word) => isVariable(word, names));
  if (variable !== undefined)
    return [`"${variable}" is a text here, not the variable`, `Write $${variable}.`];
  const isConstant = isFixedText && variablesOf(condition).length === 0 && !words.every(isLiteral);
  return isConstant ? ['the condition has no variable, so its result is always the same'] : undefined;
}

/** A label has no `${…}`, so its text is the same in every instance of a group. */
const isFixed = ({ attributes }: ReadBlock): boolean => !attributes.has('condition');

/** `1 == 2` and `true == false` switch a block on or off on purpose. */
const isLiteral = (word: string): boolean => /^(?:true|false|\d+)$/.test(word);

function isVariable(word: string, { inputs = [], prefixes }: Names): boolean {
  return BUILD_VARIABLES.includes(word) || inputs.includes(word) || isSetBy(prefixes ?? new Set(), word);
}

type Explanation = [message: string, help?: string] | undefined;

function explainVariable(
  name: string,
  before: ReadonlySet<string>,
  { inputs, prefixes }: Names,
): Explanation {
  if (name.startsWith('BUILD_')) return explainBuildVariable(name);
  if (name.startsWith('INPUT_')) return inputs && explainInputVariable(name, inputs);
  const [prefix] = /^(?:GET|TASK)_(?=\w)/.exec(name) ?? [];
  if (prefix === undefined) return [`a condition cannot see $${name}`];
  if (!prefixes || isSetBy(before, name)) return undefined;
  if (isSetBy(prefixes, name))
    return [`$${name} is not set yet: its step runs later`, 'Move the if after that step.'];
  const kind = prefix === 'GET_' ? 'get' : 'task';
  const help = `Correct the name: it is $${prefix}<NAME>_<KEY>, with the name of a ${kind}.`;
  return [`no ${kind} of the job sets $${name}${didYouMeanStep(name, prefixes)}`, help];
}

function explainBuildVariable(name: string): Explanation {
  if (BUILD_VARIABLES.includes(name)) return undefined;
  const message = `a condition cannot see $${name}${didYouMeanVariable(name, BUILD_VARIABLES)}`;
  return [message, `There are $${BUILD_VARIABLES.join(', $')}.`];
}

function explainInputVariable(name: string, inputs: readonly string[]): Explanation {
  if (inputs.includes(name)) return undefined;
  const message = `the job has no input for $${name}${didYouMeanVariable(name, inputs)}`;
  return [message, 'Declare it with an input block in the job, or correct the name.'];
}

const isSetBy = (prefixes: ReadonlySet<string>, name: string): boolean =>
  [...prefixes].some((prefix) => name.startsWith(prefix) && name !== prefix);

function didYouMeanVariable(name: string, known: readonly string[]): string {
  const closest = closestName(name, known);
  return closest === undefined ? '' : `; did you mean $${closest}?`;
}

/**
 * Suggests the variable of another step. The name of a step may itself contain `_`, so every split of the
 * variable is tried.
 */
function didYouMeanStep(name: string, prefixes: ReadonlySet<string>): string {
  for (let at = name.lastIndexOf('_'); at > 0; at = name.lastIndexOf('_', at - 1)) {
    const closest = closestName(name.slice(0, at + 1), prefixes);
    if (closest !== undefined) return `; did you mean $${closest}${name.slice(at + 1)}?`;
  }
  return '';
}

import { defined } from '#defined';
import { boolAt, numberAt } from '#domain/language/block-values.ts';
import { parseCondition, type ConditionFault } from '#domain/language/condition.ts';
import { diagnose, type Diagnostic } from '#domain/language/diagnostic.ts';
import type { BlockReader } from '#domain/language/evaluate-expression.ts';
import { placeInText } from '#domain/language/place-in-text.ts';
import type { LocatedString } from '#domain/language/read-attribute.ts';
import type { ReadBlock } from '#domain/language/read-block.ts';
import { writtenCondition } from './condition-names.ts';
import { checkName } from './name.ts';
import { checkStepParameters, textsByName, warnOfUnknown } from './parameter-names.ts';
import type { ServiceType } from './pipeline.ts';
import { hooksOf } from './read-hooks.ts';
import { readJobCache } from './read-job-caches.ts';
import {
  timeoutAndAttemptsOf,
  readGet,
  readNotify,
  readPut,
  readTask,
  type StepContext,
} from './read-steps.ts';
import { findType } from './resources.ts';
import { checkServiceImages } from './service-image.ts';
import type { ActionStep, Branch, ParallelStep, ServiceStep, Step } from './steps.ts';
import type { KnownTypes, NamedType } from './type-kinds.ts';

export interface PlanContext extends StepContext {
  reader: Pick<BlockReader, 'spell'>;
  services: KnownTypes<Omit<ServiceType, keyof NamedType>>;
  /** Service types that the jobs use. */
  usedServices: Map<string, ServiceType>;
  /** The steps are in a branch, which only some builds enter. */
  inBranch: boolean;
}

const stepTypes: readonly string[] = [
  'cache',
  'get',
  'task',
  'put',
  'notify',
  'service',
  'in_parallel',
  'if',
  'else_if',
  'else',
];

/** The steps of a job or branch, in order. */
export function readPlan(block: ReadBlock, context: PlanContext): Step[] {
  const plan: Step[] = [];
  let chain: Branch[] | undefined;
  const mayLackIf = context.incomplete || block.misread.has('if') || block.misread.has('else_if');
  for (const child of block.blocks.filter(({ type }) => stepTypes.includes(type))) {
    if (child.type === 'if') {
      chain = [];
      plan.push({ kind: 'branch', branches: chain });
    }
    if (child.type === 'if' || child.type === 'else_if' || child.type === 'else') {
      chain = readBranch(child, chain, { context, mayLackIf });
    } else {
      chain = undefined;
      const step = readStep(child, context);
      if (step) plan.push(step);
    }
  }
  return plan;
}

/**
 * Adds a branch to the chain of the `if` before it. Returns the chain if another branch may follow.
 * `mayLackIf`: a block could not be read, and it may be the missing `if`.
 */
function readBranch(
  block: ReadBlock,
  chain: Branch[] | undefined,
  { context, mayLackIf }: { context: PlanContext; mayLackIf: boolean },
): Branch[] | undefined {
  const inner = readPlan(block, { ...context, inBranch: true });
  if (block.blocks.length === 0 && block.misread.size === 0 && !context.incomplete)
    context.report(diagnose('nothing-to-do', block.range, `${block.type} has nothing to do`));
  if (!chain) {
    if (!mayLackIf) {
      const message = `${block.type} must follow an if or else_if directly`;
      context.report(diagnose('else-without-if', block.range, message));
    }
    return undefined;
  }
  if (block.type === 'else') {
    chain.push({ steps: inner });
    return undefined;
  }
  const condition = readCondition(block, context);
  chain.push({
    ...nameOfBranch(block, context),
    steps: inner,
    ...defined({ condition }),
  });
  return chain;
}

/** With the attribute `condition`, the label is a name. Without it, the label is the condition. */
function nameOfBranch(block: ReadBlock, { report }: PlanContext): Pick<Branch, 'name'> {
  const [label] = block.labels;
  if (!label || !block.attributes.has('condition')) return {};
  return checkName(report, 'title', block.type, label) ? { name: label.text } : {};
}

function readCondition(block: ReadBlock, { report, reader }: PlanContext): string | undefined {
  const written = writtenCondition(block);
  if (!written) return undefined;
  const condition = parseCondition(written.text);
  if ('reason' in condition) {
    report(explainFault(condition, written, reader.spell(written.range)));
    return undefined;
  }
  return written.text;
}

/**
 * Points at the character with the fault, if the spelling shows where it is. If an expression computed the
 * text, the diagnostic also shows the text.
 */
function explainFault(
  { character, reason }: ConditionFault,
  written: LocatedString,
  spelling: string,
): Diagnostic {
  const { text, range } = written;
  // The end of a heredoc is the end of its last line, not the beginning of the next.
  const index = Math.min(character - 1, text.replace(/\n$/, '').length);
  const place = placeInText({ text: spelling, start: range.start }, text, index);
  const where = place ? 'here' : `at character ${character}`;
  const diagnostic = diagnose(
    'invalid-condition',
    place?.range ?? range,
    `the condition is wrong ${where}: ${reason}`,
  );
  if (place?.computed === false) return diagnostic;
  return { ...diagnostic, values: `the text is ${JSON.stringify(cut(text))}` };
}

const MAX_TEXT_LENGTH = 200;

const cut = (text: string): string =>
  text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()}…` : text;

function readStep(block: ReadBlock, context: PlanContext): Step | undefined {
  switch (block.type) {
    case 'service':
      return readService(block, context);
    case 'in_parallel':
      return readParallel(block, context);
    case 'cache':
      return readJobCache(block, context.report);
    default:
      return readActionStep(block, context);
  }
}

function readActionStep(block: ReadBlock, context: PlanContext): ActionStep | undefined {
  const hooks = hooksOf(block, context);
  const step = readAction(block, context);
  // Changes the step itself instead of a copy, because `resolvePassed` sets its `passed` later.
  return step && Object.assign(step, hooks);
}

function readAction(block: ReadBlock, context: PlanContext): ActionStep | undefined {
  switch (block.type) {
    case 'get':
      return readGetStep(block, context);
    case 'task':
      return readTask(block, context);
    case 'put':
      return readPut(block, context);
    default:
      return readNotify(block, context);
  }
}

/** Reads a get. Reports `passed` in a branch. */
function readGetStep(block: ReadBlock, context: PlanContext): ActionStep {
  const passed = block.attributes.get('passed');
  if (passed && context.inBranch) {
    const message =
      'passed is not allowed in a branch: versions are chosen before a build can evaluate the condition';
    context.report(diagnose('passed-in-branch', passed.nameRange, message));
  }
  return readGet(block, context);
}

function readParallel(block: ReadBlock, context: PlanContext): ParallelStep {
  const inner = block.blocks.filter(({ type }) => stepTypes.includes(type));
  if (inner.length === 0 && block.misread.size === 0 && !context.incomplete)
    context.report(diagnose('nothing-to-do', block.range, 'in_parallel has nothing to do'));
  const limit = numberAt(block, 'limit');
  return {
    kind: 'parallel',
    ...(limit !== undefined && limit > 0 && { limit }),
    failFast: boolAt(block, 'fail_fast') ?? false,
    steps: inner.flatMap((step) => readActionStep(step, context) ?? []),
    ...timeoutAndAttemptsOf(block),
    ...hooksOf(block, context),
  };
}

function readService(block: ReadBlock, context: PlanContext): ServiceStep | undefined {
  const { report, services, usedServices } = context;
  const type = findType(block, 'service type', services, report);
  checkStepParameters(block.parameters, 'param_', report);
  if (!type) return undefined;
  warnOfUnknown(block.parameters, type, report);
  usedServices.set(type.name, type);
  const params = textsByName(block.parameters);
  if (block.misread.size === 0) checkServiceImages(type, params, block.range, report);
  const timeoutSeconds = numberAt(block, 'timeout');
  return { kind: 'service', type: type.name, ...defined({ timeoutSeconds }), params };
}

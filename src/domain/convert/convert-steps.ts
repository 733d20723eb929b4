import { findUnknownValues, instancesOf, readAcross } from './convert-across.ts';
import { convertGet, convertPut } from './convert-get-put.ts';
import { convertLoadVar } from './convert-load-var.ts';
import { convertTask, taskTitle } from './convert-task.ts';
import { writeAttempts, writeHooks } from './modifiers.ts';
import { limitAttribute, readGroup } from './read-group.ts';
import { STEP_KINDS, type ConvertedPlace, type JobScope, type StepKind } from './step-scope.ts';
import {
  hasOnlyOnSuccess,
  hasStepField,
  HOOK_NAMES,
  isSequence,
  splitOnSuccess,
  stopsAtFailure,
} from './step-tree.ts';
import { failingRun } from './write-command.ts';
import { hclAttribute, hclBlock, type HclBlock, type HclNode } from './write-hcl.ts';
import { YamlFields } from './yaml-fields.ts';
import { entryOf, textOfScalar, yamlAt, type YamlMap, type YamlTree } from './yaml-tree.ts';

/**
 * Converts the steps, in their order. If possible, a `try` becomes an `on_success` hook of the step before
 * it, because a failed hook does not fail the build.
 */
export function convertPlan(plan: readonly YamlTree[], place: ConvertedPlace, scope: JobScope): HclNode[] {
  const nodes: HclNode[] = [];
  for (const tree of plan) {
    const stepBefore = place === 'job' ? nodes.findLast(isStep) : undefined;
    const hook = stepBefore && tryHook(tree, scope);
    const steps = hook ? [] : convertStep(tree, place, scope);
    // Takes the caches that this step needs out of the scope, so that the next step does not write them
    // again.
    const caches = place === 'job' ? (scope.caches?.splice(0) ?? []) : [];
    if (hook) {
      stepBefore.body.push(...hook);
      nodes.splice(startOf(nodes, stepBefore), 0, ...caches);
    } else nodes.push(...caches, ...steps);
  }
  return nodes;
}

/** The index of the step, or of the first comment directly before it. */
function startOf(nodes: readonly HclNode[], step: HclBlock): number {
  let index = nodes.indexOf(step);
  while (nodes[index - 1]?.kind === 'comment') index--;
  return index;
}

const isStep = (node: HclNode): node is HclBlock =>
  node.kind === 'block' && ['get', 'put', 'task', 'in_parallel'].includes(node.type);

/** The hook that replaces a `try`. Undefined: the step is not a `try`, or a hook cannot do the same. */
function tryHook(tree: YamlTree, scope: JobScope): HclNode[] | undefined {
  const entry = entryOf(tree, 'try');
  if (
    tree.kind !== 'map' ||
    entry === undefined ||
    hasStepField(entry.value, ['get', 'load_var', ...HOOK_NAMES, 'across']) ||
    stopsAtFailure(entry.value)
  )
    return undefined;
  if (tree.entries.length > 1) return undefined;
  const steps = convertStep(entry.value, 'hook', scope);
  if (!steps.some(({ kind }) => kind === 'block')) return steps;
  return [{ kind: 'comment', text: TRY_COMMENT }, hclBlock('on_success', [], steps)];
}

const TRY_COMMENT =
  'This hook replaces try: its failure does not fail the build. Without a timeout, it may take 10 minutes.';

/**
 * The places whose steps run one after another, until one fails. In these places, the step of `on_success`
 * can simply be the next step.
 */
const PLACES_IN_ORDER: ReadonlySet<ConvertedPlace> = new Set(['job', 'sequence']);

export function convertStep(tree: YamlTree, place: ConvertedPlace, scope: JobScope): HclNode[] {
  const { conversion } = scope;
  if (tree.kind !== 'map') {
    conversion.error(tree.span, 'a step must be a map', `Write one of ${STEP_KINDS.join(', ')}.`);
    return [];
  }
  const parts = PLACES_IN_ORDER.has(place) && hasOnlyOnSuccess(tree) ? splitOnSuccess(tree) : undefined;
  if (parts) return convertPlan([parts.before, parts.onSuccess], place, scope);
  const kinds = STEP_KINDS.filter((kind) => entryOf(tree, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const problem = kind === undefined ? 'unknown kind of step' : `a step is both ${kinds.join(' and ')}`;
    conversion.error(tree.span, problem, `Write one of ${STEP_KINDS.join(', ')}.`);
    return [];
  }
  if (entryOf(tree, 'across')) return convertAcross(tree, place, scope);
  const fields = new YamlFields(tree, `the step ${kind}`, conversion);
  scope.tags.push(...fields.texts('tags'));
  return CONVERT[kind]({ fields, place, scope });
}

interface StepInput {
  fields: YamlFields;
  place: ConvertedPlace;
  scope: JobScope;
}

type ConvertKind = (input: StepInput) => HclNode[];

const CONVERT: Readonly<Record<StepKind, ConvertKind>> = {
  get: (input) =>
    input.place === 'hook'
      ? leaveOutStep('get', 'a hook cannot get, so get the resource in the job', input)
      : completeStep(convertGet(input.fields, input.scope), input),
  put: (input) => completeStep(convertPut(input.fields, input.scope), input),
  task: (input) => completeStep(convertTask(input.fields, input.scope), input),
  load_var: (input) => completeStep(convertLoadVar(input.fields, input.place, input.scope), input),
  set_pipeline: (input) =>
    leaveOutStep('set_pipeline', 'a Pipeline is an object of Kubernetes, so apply it as a manifest', input),
  run: (input) => leaveOutStep('run', 'there are no prototypes', input),
  try: convertTry,
  do: convertDo,
  in_parallel: convertParallel,
};

/**
 * Completes the block of a step: adds `timeout`, `attempts` and hooks, and reports fields that were not read.
 */
function completeStep(block: HclBlock, { fields, place, scope }: StepInput): HclNode[] {
  const settings: HclNode[] = [];
  writeAttempts(fields, settings, scope.conversion);
  const firstBlock = block.body.findIndex(({ kind }) => kind === 'block');
  block.body.splice(firstBlock < 0 ? block.body.length : firstBlock, 0, ...settings);
  writeHooks(fields, { body: block.body, place, scope, convert: convertStep });
  fields.end(block.body);
  return [block];
}

function leaveOutStep(kind: StepKind, reason: string, { fields, scope }: StepInput): HclNode[] {
  const nodes: HclNode[] = [];
  const { conversion } = scope;
  const entry = fields.entry(kind);
  const name = textOfScalar(entry?.value);
  const text = `${kind}${name === undefined ? '' : ` ${name}`} has no counterpart: ${reason}`;
  conversion.leaveOut(nodes, entry?.keySpan ?? fields.span, text);
  return nodes;
}

/**
 * Converts a `try` that cannot become a hook. In Millrace, a failure of its step then fails the build, unless
 * the `try` is inside a hook.
 */
function convertTry({ fields, place, scope }: StepInput): HclNode[] {
  const nodes: HclNode[] = [];
  const entry = fields.entry('try');
  if (entry === undefined) return [];
  if (place !== 'hook')
    scope.conversion.leaveOut(
      nodes,
      entry.keySpan,
      'try has no counterpart here: if this step fails, the build fails',
    );
  leaveOutModifiers(fields, nodes, 'they belong to try');
  fields.end(nodes);
  return [...nodes, ...convertStep(entry.value, place, scope)];
}

/**
 * Converts a `do`. Its steps are written one after another. At the top level of a job, a `do` with hooks or
 * limits becomes a group that runs one step at a time.
 */
function convertDo(input: StepInput): HclNode[] {
  const { fields, place, scope } = input;
  const steps = fields.list('do');
  const hasModifiers = MODIFIERS.some((name) => fields.entry(name));
  if (place === 'job' && hasModifiers) {
    const inner = steps.flatMap((step) => convertStep(step, 'sequence', scope));
    return completeStep(sequenceBlock(inner), input);
  }
  const nodes: HclNode[] = [];
  leaveOutModifiers(fields, nodes, 'steps cannot be grouped here');
  fields.end(nodes);
  return [...nodes, ...convertPlan(steps, place, scope)];
}

/** A group that runs one step at a time and stops at the first failure. */
const sequenceBlock = (steps: readonly HclNode[]): HclBlock =>
  hclBlock('in_parallel', [], [hclAttribute('limit', '1'), hclAttribute('fail_fast', 'true'), ...steps]);

/** The fields of a step that limit it, or that are its hooks. */
const MODIFIERS = ['timeout', 'attempts', ...HOOK_NAMES];

const leaveOutModifiers = (fields: YamlFields, nodes: HclNode[], reason: string): void =>
  fields.leaveOut(nodes, Object.fromEntries(MODIFIERS.map((name) => [name, reason])));

function convertParallel(input: StepInput): HclNode[] {
  const { fields, place, scope } = input;
  const tree = fields.tree('in_parallel');
  const settings: HclNode[] = [];
  const steps = tree?.kind === 'list' ? tree.items : readGroup(fields, settings, scope);
  if (place === 'job') return convertGroup(steps, settings, input);
  const nodes: HclNode[] = [];
  if (place !== 'parallel' && steps.length > 1)
    scope.conversion.leaveOut(
      nodes,
      fields.span,
      `in_parallel has no counterpart in a ${place}: its steps run in order`,
    );
  if (place === 'parallel' && settings.length > 0)
    scope.conversion.leaveOut(
      nodes,
      fields.span,
      'groups cannot be nested, so limit and fail_fast of this one are left out',
    );
  leaveOutModifiers(fields, nodes, 'groups cannot be nested');
  fields.end(nodes);
  return [...nodes, ...steps.flatMap((step) => convertStep(step, place, scope))];
}

/**
 * Converts the steps of a group. A sequence cannot be part of a group in Millrace, so it runs after the
 * group. The hooks and limits of the group are repeated for the sequence.
 */
function convertGroup(steps: readonly YamlTree[], settings: HclNode[], input: StepInput): HclNode[] {
  const { fields, scope } = input;
  const sequences = steps.filter(isSequence);
  const parallelSteps = steps
    .filter((step) => !isSequence(step))
    .flatMap((step) => convertStep(step, 'parallel', scope));
  const nodes: HclNode[] = [];
  if (parallelSteps.some(({ kind }) => kind === 'block'))
    nodes.push(...completeStep(hclBlock('in_parallel', [], [...settings, ...parallelSteps]), input));
  else {
    nodes.push(...parallelSteps);
    if (sequences.length === 0) leaveOutModifiers(fields, nodes, 'no step is left in the group');
    fields.end(nodes);
  }
  const hasModifiers = MODIFIERS.some((name) => fields.entry(name));
  const hasHooks = HOOK_NAMES.some((name) => fields.entry(name));
  for (const step of sequences) {
    const text = 'steps that need an order have no counterpart in a group: they run after it';
    const hookText = hasHooks ? ', and the hooks of the group run for it and for them' : '';
    scope.conversion.leaveOut(nodes, step.span, `${text}${hookText}`);
    const sequence = convertStep(step, hasModifiers ? 'sequence' : 'job', scope);
    nodes.push(...(hasModifiers ? completeStep(sequenceBlock(sequence), input) : sequence));
  }
  return nodes;
}

/**
 * Converts a step with `across`: writes one step for each combination. At the top level of a job, these steps
 * form a group, which gets the hooks of the step. Elsewhere, the hooks are left out and reported.
 */
function convertAcross(tree: YamlMap, place: ConvertedPlace, scope: JobScope): HclNode[] {
  const { conversion } = scope;
  const groupKeys = new Set(['across', 'fail_fast', ...HOOK_NAMES]);
  const group = { ...tree, entries: tree.entries.filter(({ key }) => groupKeys.has(key)) };
  const step = { ...tree, entries: tree.entries.filter(({ key }) => !groupKeys.has(key)) };
  const fields = new YamlFields(group, 'a step with across', conversion);
  if (findUnknownValues(fields.tree('across'))) return convertUnknownAcross(step, { fields, place, scope });
  const combinations = readAcross(fields, conversion);
  if (combinations === undefined) return [];
  const { locals, limit } = combinations;
  const instances = instancesOf(step, locals);
  const settings: HclNode[] = limit === 0 ? [] : [limitAttribute(limit)];
  if (fields.flag('fail_fast') === true) settings.push(hclAttribute('fail_fast', 'true'));
  if (place === 'job') return convertGroup(instances, settings, { fields, place, scope });
  const steps = instances.flatMap((instance) => convertStep(instance, place, scope));
  const nodes: HclNode[] = [];
  if (place === 'sequence' && instances.length > 1)
    conversion.leaveOut(nodes, fields.span, 'across has no group in a sequence: its steps run in order');
  if (place === 'parallel')
    conversion.leaveOut(
      nodes,
      fields.span,
      'groups cannot be nested, so max_in_flight and fail_fast of across are left out',
    );
  leaveOutModifiers(fields, nodes, 'groups cannot be nested');
  fields.end(nodes);
  return [...nodes, ...steps];
}

/** Converts a step with `across` whose values are unknown to a task that fails and says what to write. */
function convertUnknownAcross(step: YamlMap, input: StepInput): HclNode[] {
  const { fields, scope } = input;
  const values = findUnknownValues(fields.tree('across'));
  const name = STEP_KINDS.flatMap((kind) => textOfScalar(yamlAt(step, kind)) ?? [])[0];
  const body: HclNode[] = [];
  scope.conversion.leaveOut(
    body,
    values?.span ?? fields.span,
    `across has no counterpart: ${values?.text ?? ''} is neither written out nor given with --vars`,
  );
  fields.flag('fail_fast');
  scope.tags.push(...new YamlFields(step, 'a step with across', scope.conversion).texts('tags'));
  return completeStep(
    hclBlock(
      'task',
      [taskTitle(name ?? 'across')],
      [...body, failingRun('write a step for each value of across')],
    ),
    input,
  );
}

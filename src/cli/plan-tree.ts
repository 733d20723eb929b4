import type { Command } from '#domain/pipeline/command.ts';
import { identityVariable } from '#domain/pipeline/identity.ts';
import type { IdentityRequest, Input, Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { fillImage } from '#domain/pipeline/service-image.ts';
import type {
  ActionStep,
  Branch,
  GetStep,
  HookAction,
  Hooks,
  NotifyStep,
  ParallelStep,
  PutStep,
  ServiceStep,
  Step,
  TaskStep,
} from '#domain/pipeline/steps.ts';
import { variablePart } from '#domain/planning/environment-names.ts';
import type { Tree } from './render-tree.ts';

/** The tree of a job: `on_trigger` hooks, inputs, identity tokens, approval, steps, other hooks. */
export function planTree(pipeline: Pipeline, job: Job): Tree {
  return {
    kind: 'job',
    name: job.name,
    facts: jobFacts(job),
    children: [
      ...(job.onTrigger?.length ? [hookTree('on_trigger', job.onTrigger, pipeline)] : []),
      ...(job.inputs ?? []).map(inputTree),
      ...(job.identity ?? []).map(identityTree),
      ...approvalTree(job, pipeline),
      ...job.steps.map((step) => stepTree(step, pipeline)),
      ...hookTrees(job.hooks, pipeline),
    ],
  };
}

/** Keeps the facts that apply. A fact that does not apply is false or undefined. */
const factsOf = (...facts: readonly (string | false | undefined)[]): string[] =>
  facts.filter((fact) => fact !== undefined && fact !== false);

/** `on workers linux, gpu`; empty for no names. */
const listed = (prefix: string, names: readonly string[] = []): string | false =>
  names.length > 0 && `${prefix} ${names.join(', ')}`;

const timeLimit = (prefix: string, seconds: number | undefined): string | false =>
  seconds !== undefined && `${prefix} ${duration(seconds)}`;

function jobFacts(job: Job): string[] {
  return factsOf(
    job.group && `instance ${job.group.key} of ${job.group.name}`,
    listed('on workers', job.tags),
    timeLimit('at most', job.timeoutSeconds),
    job.concurrency !== undefined && `${job.concurrency} at a time`,
    listed('serial with', job.serialGroups),
    job.allowFailure === true && 'a failure is a warning',
    job.interruptible === true && 'interruptible',
    job.supersede === false && 'supersede = false',
    job.disableRetry === true && 'never retried',
  );
}

function inputTree({ name, type, required, default: preset, options = [] }: Input): Tree {
  const facts = factsOf(
    type,
    listed('one of', options),
    required === true ? 'required in a manual trigger' : defaultOf(type, preset),
    `$INPUT_${variablePart(name)}`,
  );
  return { kind: 'input', name, facts };
}

/** A default of the types `bool` and `number` is a word without quotes in HCL, too. */
function defaultOf(type: Input['type'], preset: string): string {
  return `default ${type === 'bool' || type === 'number' ? preset : JSON.stringify(preset)}`;
}

function identityTree({ name, audience }: IdentityRequest): Tree {
  return { kind: 'identity', name: audience, facts: [`$${identityVariable(name)}`] };
}

function approvalTree({ approval }: Job, pipeline: Pipeline): Tree[] {
  if (!approval) return [];
  const { label, approvals, timeoutSeconds, notByTrigger, notify } = approval;
  const facts = factsOf(
    approvals === 1 ? 'by 1 person' : `by ${approvals} people`,
    notByTrigger === true && 'not by the person who triggered it',
    timeLimit('within', timeoutSeconds),
  );
  return [
    { kind: 'approve', name: label, facts, children: notify.map((step) => actionTree(step, pipeline)) },
  ];
}

function stepTree(step: Step, pipeline: Pipeline): Tree {
  if (step.kind === 'service') return serviceTree(step, pipeline);
  if (step.kind === 'parallel') return parallelTree(step, pipeline);
  if (step.kind !== 'branch') return actionTree(step, pipeline);
  const children = step.branches.map((branch, index) => branchTree(branch, index, pipeline));
  return { kind: 'one of', children };
}

function serviceTree({ type, params }: ServiceStep, { serviceTypes }: Pipeline): Tree {
  const start = serviceTypes?.find(({ name }) => name === type)?.start;
  const filled = start?.runner === 'docker' ? { ...start, image: fillImage(start.image, params) } : start;
  return { kind: 'service', name: type, facts: [whereItRuns(filled), 'stopped after the hooks'] };
}

function parallelTree(step: ParallelStep, pipeline: Pipeline): Tree {
  const facts = factsOf(
    step.limit === undefined ? 'all at once' : `${step.limit} at a time`,
    step.failFast && 'the first failure ends the others',
    ...attemptFacts(step),
  );
  const steps = step.steps.map((child) => actionTree(child, pipeline));
  return { kind: 'in_parallel', facts, children: [...steps, ...hookTrees(step.hooks, pipeline)] };
}

function branchTree({ name, condition, steps }: Branch, index: number, pipeline: Pipeline): Tree {
  const children = steps.map((step) => stepTree(step, pipeline));
  if (condition === undefined) return { kind: 'else', children };
  const facts = name === undefined ? [] : [condition];
  return { kind: index === 0 ? 'if' : 'else_if', name: name ?? condition, facts, children };
}

function actionTree(step: ActionStep, pipeline: Pipeline): Tree {
  const { name, facts } = actionLine(step, pipeline);
  return {
    kind: step.kind,
    name,
    facts: [...facts, ...attemptFacts(step)],
    children: hookTrees(step.hooks, pipeline),
  };
}

function actionLine(step: ActionStep, pipeline: Pipeline): { name: string; facts: string[] } {
  if (step.kind === 'task') return { name: step.name, facts: taskFacts(step) };
  if (step.kind === 'notify') {
    return {
      name: step.notification,
      facts: factsOf(whereItRuns(notifyOf(step, pipeline)), paramsSet(step)),
    };
  }
  if (step.kind === 'get') return { name: step.resource, facts: getFacts(step, pipeline) };
  const push = typeOf(step.resource, pipeline)?.push;
  return {
    name: step.resource,
    facts: factsOf(whereItRuns(push), paramsSet(step), variablesSet(push, step.env), 'makes a version'),
  };
}

function getFacts(step: GetStep, pipeline: Pipeline): string[] {
  const { name, resource, trigger, passed, version, env } = step;
  const pull = typeOf(resource, pipeline)?.pull;
  return factsOf(
    trigger && 'triggers',
    listed('passed', passed),
    version === 'every' && 'every version',
    version === 'latest' && 'the newest version only',
    whereItRuns(pull),
    variablesSet(pull, env),
    `$GET_${variablePart(name)}_*`,
  );
}

/** Names of the parameters that a step sets; values may be secret. */
const paramsSet = (step: PutStep | NotifyStep): string | false => {
  const protocolParams = 'protocolParams' in step ? step.protocolParams : undefined;
  return listed('with', Object.keys(protocolParams ?? step.params));
};

/** Names of the variables that a command and its step set; values may be secret. */
const variablesSet = (command: Command | undefined, env: Record<string, string> = {}): string | false =>
  listed('sets', [...new Set([...Object.keys(command?.env ?? {}), ...Object.keys(env)])]);

const taskFacts = ({ name, run, env, inputs, outputs, cache }: TaskStep): string[] => {
  if (cache !== undefined)
    return factsOf(whereItRuns(run), env?.['cache_path'], env?.['cache_key'] && `key ${env['cache_key']}`);
  return factsOf(
    whereItRuns(run),
    variablesSet(run, env),
    listed('needs', inputs),
    listed('leaves', outputs),
    `$TASK_${variablePart(name)}_*`,
  );
};

function notifyOf(
  step: NotifyStep,
  { notifications = [], notificationTypes = [] }: Pipeline,
): Command | undefined {
  const notification = notifications.find(({ name }) => name === step.notification);
  return notificationTypes.find(({ name }) => name === notification?.type)?.notify;
}

const typeOf = (
  resource: string,
  { resources, resourceTypes }: Pipeline,
): Pipeline['resourceTypes'][number] | undefined =>
  resourceTypes.find(({ name }) => name === resources.find((candidate) => candidate.name === resource)?.type);

/** Where a command runs. `command` is undefined for a type without that command. */
function whereItRuns(command: Command | undefined): string {
  if (!command || isNothing(command)) return 'runs nothing';
  if (command.runner === 'docker')
    return 'entrypoint' in command ? `the entrypoint of ${command.image}` : `in ${command.image}`;
  return command.runner === 'custom' ? `in the worker image, by ${command.name}` : 'in the worker image';
}

/** Whether a command does nothing: an empty block such as `pull "exec" {}`, or the program `true`. */
const isNothing = (command: Command): boolean =>
  command.runner === 'exec' && ['', 'true'].includes(command.path) && command.args.length === 0;

const attemptFacts = ({
  timeoutSeconds,
  attempts = 1,
}: Pick<ActionStep, 'timeoutSeconds' | 'attempts'>): string[] =>
  factsOf(timeLimit('at most', timeoutSeconds), attempts > 1 && `${attempts} attempts`);

function hookTrees(hooks: Hooks | undefined, pipeline: Pipeline): Tree[] {
  const { onSuccess = [], onFailure = [], onCancel = [], ensure = [] } = hooks ?? {};
  const hooksByKind = { on_success: onSuccess, on_failure: onFailure, on_cancel: onCancel, ensure };
  return Object.entries(hooksByKind).flatMap(([kind, actions]) =>
    actions.length > 0 ? [hookTree(kind, actions, pipeline)] : [],
  );
}

const hookTree = (kind: string, actions: readonly HookAction[], pipeline: Pipeline): Tree => ({
  kind,
  children: actions.map((action) =>
    action.kind === 'command'
      ? { kind: 'run', name: action.run.runner, facts: [whereItRuns(action.run)] }
      : actionTree(action, pipeline),
  ),
});

/** `1h30m` */
function duration(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'm'],
    [seconds % 60, 's'],
  ] as const;
  return parts.map(([value, unit]) => (value > 0 ? `${value}${unit}` : '')).join('') || '0s';
}

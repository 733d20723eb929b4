import { defined } from '#defined';
import type { Command } from '#domain/pipeline/command.ts';
import { variablesIn, type CommandContext } from '#domain/pipeline/environment-table.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import type {
  ActionStep,
  GetStep,
  HookAction,
  NotifyStep,
  PutStep,
  TaskStep,
} from '#domain/pipeline/steps.ts';
import { jobCacheName } from './cache-volumes.ts';
import { containersOfResource } from './containers.ts';
import { variablePart } from './environment-names.ts';
import { commandOf, notificationIn, resourceIn, resourceTypeIn } from './find-in-pipeline.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import { protocolGet, protocolPut } from './plan-protocol.ts';
import type { BuildName, PlanContainer, PlanStep } from './plan.ts';
import type { JobService } from './service-containers.ts';

/** What is the same for all steps of a build. */
export interface ActionContext {
  build: BuildName;
  pipeline: Pipeline;
  /** Containers of steps, not those of services. */
  containers: PlanContainer[];
  services: JobService[];
  /** The chosen version of each get. */
  chosen: ReadonlyMap<GetStep, Record<string, string>>;
  /** `$CACHE_DIR` of each resource whose cache is mounted. */
  cacheFolders: ReadonlyMap<string, string>;
  /** Variables of the build. The kind of a step decides which of them its command sees. */
  variables: Record<string, string>;
  /** Working directory of all commands. */
  workdir: string;
  /** Address of the installation. Absent: the installation has none. */
  externalUrl?: string;
}

export interface StepPlace {
  id: string;
  /** Steps that have ended before this one begins. */
  before: readonly ActionStep[];
  /** Only for a hook of a step: the variables of the step. */
  stepVariables?: Record<string, string>;
  /** Decides which variables the command sees. Absent: the kind of the step decides. */
  commandContext?: CommandContext;
}

/** The plan of a step or hook: one command and its environment. Hooks of the step are planned separately. */
export function planAction(
  step: ActionStep | HookAction,
  place: StepPlace,
  context: ActionContext,
): PlanStep {
  const run = commandOf(context.pipeline, step);
  const containers = containersOfResource(context.containers, 'resource' in step ? step.resource : undefined);
  const command = planCommand(run, containers, context.workdir);
  const variables = { ...context.variables, ...ownVariables(step, place, context) };
  const env = {
    ...variablesIn('stepHook', place.stepVariables ?? {}),
    ...commandEnvironment(run),
    ...('env' in step ? step.env : {}),
    ...variablesIn(commandContextOf(step, place), variables),
    ...(step.kind === 'task' ? cacheOfTask(step, context) : {}),
  };
  return { id: place.id, ...fieldsOf(step, context), env, ...defined({ command }) };
}

/** How long one attempt of a step, group or hook may take, and how often it may run. */
export function plannedAttempts({
  timeoutSeconds,
  attempts,
}: Pick<PlanStep, 'timeoutSeconds' | 'attempts'>): Pick<PlanStep, 'timeoutSeconds' | 'attempts'> {
  return defined({ timeoutSeconds, attempts });
}

/**
 * The planned step with the call of its program, if the type of its resource has a protocol (that of
 * Concourse, see `protocolGet`). Plan the hooks of the step first: they see the variables that the step has
 * without a protocol.
 */
export function withProtocolCall(
  planned: PlanStep,
  step: ActionStep | HookAction,
  context: ActionContext,
): PlanStep {
  const { command } = planned;
  if (command === undefined || (step.kind !== 'get' && step.kind !== 'put')) return planned;
  const { pipeline, chosen } = context;
  if (resourceTypeIn(pipeline, step.resource).protocol === undefined) return planned;
  const resource = resourceIn(pipeline, step.resource);
  const call =
    step.kind === 'put'
      ? protocolPut(command, { resource, put: step }, context)
      : protocolGet(command, { resource, get: step, version: chosen.get(step) ?? {} }, context);
  return { ...planned, ...call };
}

function commandContextOf(
  { kind }: ActionStep | HookAction,
  { stepVariables, commandContext }: StepPlace,
): CommandContext {
  if (commandContext !== undefined) return commandContext;
  if (kind !== 'command') return kind;
  return stepVariables === undefined ? 'jobHook' : 'stepHook';
}

function fieldsOf(step: ActionStep | HookAction, context: ActionContext): Omit<PlanStep, 'id' | 'env'> {
  switch (step.kind) {
    case 'get':
      return { kind: 'get', ...getFields(step, context) };
    case 'task':
      return { kind: 'task', ...taskFields(step, context) };
    case 'put':
      return { kind: 'put', ...putFields(step, context) };
    case 'notify':
      return { kind: 'notify', ...notifyFields(step, context) };
    case 'command':
      return { kind: 'command', name: runnerName(step.run) };
    default:
      throw new Error('a step of unknown kind');
  }
}

/** Variables that come from the step itself. Its command may see only some of them. */
function ownVariables(
  step: ActionStep | HookAction,
  { before }: StepPlace,
  context: ActionContext,
): Record<string, string> {
  switch (step.kind) {
    case 'get':
      return getVariables(step, context);
    case 'task':
      return eventsOf(before, context);
    case 'put':
      return putVariables(step, before, context);
    case 'notify':
      return notifyVariables(step, context);
    case 'command':
      return {};
    default:
      throw new Error('a step of unknown kind');
  }
}

const runnerName = (run: Command): string => (run.runner === 'custom' ? run.name : run.runner);

function getFields(step: GetStep, { chosen }: ActionContext) {
  const { name, resource } = step;
  return { name: resource, resource, exports: `GET_${variablePart(name)}_`, version: chosen.get(step) ?? {} };
}

function taskFields({ name, inputs, outputs, cache }: TaskStep, { build }: ActionContext) {
  if (cache !== undefined) return { name, cache: jobCacheName(build.job, cache) };
  return { name, exports: `TASK_${variablePart(name)}_`, ...defined({ inputs, outputs }) };
}

/** A put of a trigger always names the build that it is in, whatever its params say. */
function putFields({ resource, params }: PutStep, { pipeline, build }: ActionContext) {
  const origin = { trigger_pipeline: build.pipeline, trigger_job: build.job, trigger_build: build.number };
  const isTrigger = isTriggerStream(resourceTypeIn(pipeline, resource));
  return { name: resource, resource, params: { ...params, ...(isTrigger ? origin : {}) } };
}

function notifyFields({ notification, message }: NotifyStep, { pipeline }: ActionContext) {
  const text = message ?? notificationIn(pipeline, notification).message;
  return { name: notification, ...defined({ message: text }) };
}

function getVariables(step: GetStep, context: ActionContext): Record<string, string> {
  return { ...variablesOfResource(step, context), ...prefixed('version_', context.chosen.get(step)) };
}

/** Only the tasks that restore and save a cache of the job see its folder. */
function cacheOfTask({ cache }: TaskStep, { build, cacheFolders }: ActionContext): Record<string, string> {
  if (cache === undefined) return {};
  return defined({ CACHE_DIR: cacheFolders.get(jobCacheName(build.job, cache)) });
}

function putVariables(
  step: PutStep,
  before: readonly ActionStep[],
  context: ActionContext,
): Record<string, string> {
  return {
    ...variablesOfResource(step, context),
    ...prefixed('version_', versionBefore(step, before, context)),
    ...prefixed('put_', step.params),
  };
}

function notifyVariables(
  { notification, params }: NotifyStep,
  { pipeline, build }: ActionContext,
): Record<string, string> {
  const definition = notificationIn(pipeline, notification);
  return {
    ...prefixed('param_', definition.params),
    ...prefixed('notify_', params),
    ...defined({ BUILD_URL: pageOfBuild(definition.params['base_url'], build) }),
  };
}

/** The page of the build. Undefined: the notification has no `base_url`. */
function pageOfBuild(base: string | undefined, build: BuildName): string | undefined {
  if (base === undefined || base === '') return undefined;
  const { team, pipeline, job, number } = build;
  return `${base.replace(/\/$/, '')}/teams/${team}/pipelines/${pipeline}/jobs/${job}/builds/${number}`;
}

/** Params that the type declares and the resource leaves out stay unset. */
function variablesOfResource(
  { resource }: GetStep | PutStep,
  { pipeline, cacheFolders }: ActionContext,
): Record<string, string> {
  return {
    ...prefixed('param_', resourceIn(pipeline, resource).params),
    ...defined({ CACHE_DIR: cacheFolders.get(resource) }),
  };
}

/**
 * The versions of earlier gets of triggers, as variables. Such a get fetches no files, so later tasks read
 * its version from variables. If two versions have the same field, the version of the later get counts.
 */
function eventsOf(
  before: readonly ActionStep[],
  { pipeline, chosen }: ActionContext,
): Record<string, string> {
  const events = before
    .filter((step) => step.kind === 'get')
    .filter((get) => isTriggerStream(resourceTypeIn(pipeline, get.resource)));
  return prefixed(
    'version_',
    Object.fromEntries(events.flatMap((get) => Object.entries(chosen.get(get) ?? {}))),
  );
}

/** The version of the put's resource that the build got before the put, if any. */
function versionBefore(
  { resource }: PutStep,
  before: readonly ActionStep[],
  { chosen }: ActionContext,
): Record<string, string> | undefined {
  const got = before.filter((step) => step.kind === 'get').findLast((step) => step.resource === resource);
  return got && chosen.get(got);
}

import { defined } from '#defined';
import type { GetStep, Pipeline, PutStep, TaskStep } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import {
  commandOf,
  containersOf,
  resourceIn,
  resourceTypeIn,
  stepsToRun,
  type RunnableStep,
} from './containers.ts';
import { variablePart } from './environment-names.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { BuildName, Plan, PlanContainer, PlanStep } from './plan.ts';

/** Working directory of all steps of a build, in every container. */
export const WORKDIR = '/workdir';
/** For jobs without a timeout, so that a hanging step cannot hold its Pod for ever. */
export const DEFAULT_TIMEOUT_SECONDS = 6 * 60 * 60;

export interface BuildToPlan {
  build: BuildName;
  pipeline: Pipeline;
  /** By position of the get. */
  versions: Record<string, string>[];
}

/** A step before its versions are known. The record of a build starts with these. */
export type PlannedStep = Pick<PlanStep, 'id' | 'kind' | 'name' | 'resource'>;

/** The plan of a build. Secrets stay placeholders, which the gateway replaces. */
export function planBuild({ build, pipeline, versions }: BuildToPlan): Plan {
  const steps = stepsToRun(pipeline, build.job);
  const containers = containersOf(pipeline, build.job);
  const gets = steps.filter((step) => step.kind === 'get');
  if (versions.length !== gets.length) {
    throw new Error(`job ${build.job} has ${gets.length} gets, but ${versions.length} versions were chosen`);
  }
  const context: BuildContext = {
    build,
    pipeline,
    containers,
    chosen: new Map(gets.map((get, i) => [get, versions[i] ?? {}])),
  };
  return {
    format: 1,
    build,
    containers,
    workdir: WORKDIR,
    timeoutSeconds: DEFAULT_TIMEOUT_SECONDS,
    steps: steps.map((step, index) => planStep(step, index, context)),
    secrets: [],
  };
}

/** The steps of a job in order, with the ids of `planBuild`. */
export function plannedSteps(pipeline: Pipeline, job: string): PlannedStep[] {
  return stepsToRun(pipeline, job).map(stepIdentity);
}

function stepIdentity(step: RunnableStep, index: number): PlannedStep {
  const id = String(index);
  if (step.kind === 'task') return { id, kind: step.kind, name: step.name };
  return { id, kind: step.kind, name: step.resource, resource: step.resource };
}

interface BuildContext {
  build: BuildName;
  pipeline: Pipeline;
  containers: PlanContainer[];
  chosen: Map<GetStep, Record<string, string>>;
}

function planStep(step: RunnableStep, index: number, context: BuildContext): PlanStep {
  const run = commandOf(context.pipeline, step);
  const command = planCommand(run, context.containers, WORKDIR);
  const planned: PlanStep = {
    ...stepIdentity(step, index),
    env: {
      ...commandEnvironment(run),
      ...step.env,
      ...buildEnvironment(context.build),
      ...stepEnvironment(step, context),
    },
    ...defined({ command }),
  };
  switch (step.kind) {
    case 'get':
      planned.version = context.chosen.get(step) ?? {};
      planned.exports = `GET_${variablePart(step.name)}_`;
      break;
    case 'task':
      planned.exports = `TASK_${variablePart(step.name)}_`;
      break;
    case 'put':
      planned.params = { ...step.params, ...buildThatPuts(step, context) };
      break;
  }
  return planned;
}

function stepEnvironment(step: RunnableStep, context: BuildContext): Record<string, string> {
  if (step.kind === 'task') return prefixed('version_', eventsBefore(step, context));
  const params = resourceParams(step, context);
  if (step.kind === 'get') return { ...params, ...prefixed('version_', context.chosen.get(step)) };
  return {
    ...params,
    ...prefixed('version_', versionBefore(step, context)),
    ...prefixed('put_', step.params),
  };
}

/** Params that the type declares and the resource leaves out stay unset. */
function resourceParams(step: GetStep | PutStep, { pipeline }: BuildContext): Record<string, string> {
  return prefixed('param_', resourceIn(pipeline, step.resource).params);
}

/** A put of a trigger always names its build, whatever its own params say. */
function buildThatPuts(step: PutStep, { pipeline, build }: BuildContext): Record<string, string> {
  if (!isTriggerStream(resourceTypeIn(pipeline, step.resource))) return {};
  return {
    trigger_pipeline: build.pipeline,
    trigger_job: build.job,
    trigger_build: build.number,
  };
}

/**
 * The versions of earlier gets of triggers. Such a get runs nothing, so the tasks after it see its version.
 * If two have the same field, the later one counts.
 */
function eventsBefore(task: TaskStep, { pipeline, build, chosen }: BuildContext): Record<string, string> {
  const steps = stepsToRun(pipeline, build.job);
  const events = steps
    .slice(0, steps.indexOf(task))
    .filter((step) => step.kind === 'get')
    .filter((get) => isTriggerStream(resourceTypeIn(pipeline, get.resource)));
  return Object.fromEntries(events.flatMap((get) => Object.entries(chosen.get(get) ?? {})));
}

/** The version of its resource that the build got before, if any. */
function versionBefore(
  put: PutStep,
  { pipeline, build, chosen }: BuildContext,
): Record<string, string> | undefined {
  const steps = stepsToRun(pipeline, build.job);
  const got = steps
    .slice(0, steps.indexOf(put))
    .filter((step) => step.kind === 'get')
    .findLast((step) => step.resource === put.resource);
  return got && chosen.get(got);
}

/** Identifies the build in every step. */
function buildEnvironment(build: BuildName): Record<string, string> {
  return {
    WORKDIR,
    BUILD_NUMBER: build.number,
    BUILD_JOB_NAME: build.job,
    BUILD_PIPELINE_NAME: build.pipeline,
    BUILD_TEAM_NAME: build.team,
  };
}

import { defined } from '#defined';
import type { GetStep, Pipeline, PutStep, TaskStep } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';
import { commandOf, containersOf, resourceOf, stepsToRun, typeOf, type RunnableStep } from './containers.ts';
import { variablePart } from './environment-names.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { BuildName, Plan, PlanContainer, PlanStep } from './plan.ts';

/** Where all steps of a build work, in every container. */
export const WORKDIR = '/workdir';
/** For jobs that name no timeout: a step that hangs must not hold its Pod for ever. */
export const DEFAULT_TIMEOUT_SECONDS = 6 * 60 * 60;

export interface BuildToPlan {
  build: BuildName;
  pipeline: Pipeline;
  /** By position of the job's gets. */
  versions: Record<string, string>[];
}

/** A step as it is known before its versions are: what the build's record starts from. */
export type PlannedStep = Pick<PlanStep, 'id' | 'kind' | 'name' | 'resource'>;

/**
 * Pure: the same job and versions give the same plan. Secret placeholders stay in place, for the gateway to
 * resolve.
 */
export function planBuild({ build, pipeline, versions }: BuildToPlan): Plan {
  const steps = stepsToRun(pipeline, build.job);
  const containers = containersOf(pipeline, build.job);
  const gets = steps.filter((step) => step.kind === 'get');
  if (versions.length !== gets.length) {
    throw new Error(`job ${build.job} has ${gets.length} gets, but ${versions.length} versions were chosen`);
  }
  const known: Known = {
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
    steps: steps.map((step, index) => planStep(step, index, known)),
    secrets: [],
  };
}

/** The steps of a job in order, as `planBuild` will name them. */
export function plannedSteps(pipeline: Pipeline, job: string): PlannedStep[] {
  return stepsToRun(pipeline, job).map(stepIdentity);
}

function stepIdentity(step: RunnableStep, index: number): PlannedStep {
  const id = String(index);
  if (step.kind === 'task') return { id, kind: step.kind, name: step.name };
  return { id, kind: step.kind, name: step.resource, resource: step.resource };
}

interface Known {
  build: BuildName;
  pipeline: Pipeline;
  containers: PlanContainer[];
  chosen: Map<GetStep, Record<string, string>>;
}

function planStep(step: RunnableStep, index: number, known: Known): PlanStep {
  const run = commandOf(known.pipeline, step);
  const command = planCommand(run, known.containers, WORKDIR);
  const planned: PlanStep = {
    ...stepIdentity(step, index),
    env: {
      ...commandEnvironment(run),
      ...step.env,
      ...buildEnvironment(known.build),
      ...stepEnvironment(step, known),
    },
    ...defined({ command }),
  };
  switch (step.kind) {
    case 'get':
      planned.version = known.chosen.get(step) ?? {};
      planned.exports = `GET_${variablePart(step.name)}_`;
      break;
    case 'task':
      planned.exports = `TASK_${variablePart(step.name)}_`;
      break;
    case 'put':
      planned.params = { ...step.params, ...whoPut(step, known) };
      break;
  }
  return planned;
}

function stepEnvironment(step: RunnableStep, known: Known): Record<string, string> {
  if (step.kind === 'task') return prefixed('version_', eventsBefore(step, known));
  const params = resourceParams(step, known);
  if (step.kind === 'get') return { ...params, ...prefixed('version_', known.chosen.get(step)) };
  return {
    ...params,
    ...prefixed('version_', versionBefore(step, known)),
    ...prefixed('put_', step.params),
  };
}

/** Declared params that the resource leaves out stay unset. */
function resourceParams(step: GetStep | PutStep, { pipeline }: Known): Record<string, string> {
  return prefixed('param_', resourceOf(pipeline, step.resource).params);
}

/** A trigger tells who gave it, whatever the put says itself. */
function whoPut(step: PutStep, { pipeline, build }: Known): Record<string, string> {
  if (!isTriggerStream(typeOf(pipeline, step.resource))) return {};
  return {
    trigger_pipeline: build.pipeline,
    trigger_job: build.job,
    trigger_build: build.number,
  };
}

/**
 * A get of a trigger runs nothing that could see its version: the tasks behind it do. Of equal fields the
 * later get's counts.
 */
function eventsBefore(task: TaskStep, { pipeline, build, chosen }: Known): Record<string, string> {
  const steps = stepsToRun(pipeline, build.job);
  const events = steps
    .slice(0, steps.indexOf(task))
    .filter((step) => step.kind === 'get')
    .filter((get) => isTriggerStream(typeOf(pipeline, get.resource)));
  return Object.fromEntries(events.flatMap((get) => Object.entries(chosen.get(get) ?? {})));
}

/** A push sees the version of its resource that the same build got, if any. */
function versionBefore(put: PutStep, { pipeline, build, chosen }: Known): Record<string, string> | undefined {
  const steps = stepsToRun(pipeline, build.job);
  const got = steps
    .slice(0, steps.indexOf(put))
    .filter((step) => step.kind === 'get')
    .findLast((step) => step.resource === put.resource);
  return got && chosen.get(got);
}

/** Who the build is, for every step. */
function buildEnvironment(build: BuildName): Record<string, string> {
  return {
    WORKDIR,
    BUILD_NUMBER: build.number,
    BUILD_JOB_NAME: build.job,
    BUILD_PIPELINE_NAME: build.pipeline,
    BUILD_TEAM_NAME: build.team,
  };
}

import { defined } from '#defined';
import { inputVariable } from '#domain/pipeline/inputs.ts';
import type { Job, Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { cacheFolders, cacheNotices, type CacheUse } from './cache-volumes.ts';
import { containersOf } from './containers.ts';
import { jobIn } from './find-in-pipeline.ts';
import type { ActionContext } from './plan-action.ts';
import { planHooksOf, planNotifications } from './plan-build-hooks.ts';
import { planServices } from './plan-services.ts';
import { planSteps } from './plan-steps.ts';
import type { BuildName, Plan, PlanContainer, PreviousOutcome } from './plan.ts';
import { secretContainersOf } from './secret-containers.ts';
import { servicesOf } from './service-containers.ts';
import { recordsOf, type StepRecord } from './step-records.ts';
import { WORKDIR } from './workdir.ts';

/**
 * Timeout of a job if neither it nor its Team sets one, so that a hanging step cannot hold its Pod for ever.
 */
export const DEFAULT_TIMEOUT_SECONDS = 6 * 60 * 60;

export interface BuildToPlan {
  build: BuildName;
  pipeline: Pipeline;
  /** One version for each get, in the order of the gets. */
  versions: Record<string, string>[];
  /** Values of the job's inputs, as their variables hold them. Absent: the defaults. */
  inputs?: Record<string, string>;
  /** The Team's time limit for jobs without a timeout. */
  defaultTimeoutSeconds?: number;
  previousOutcome?: PreviousOutcome;
  /** What was decided about the caches of the build. */
  caches?: readonly CacheUse[];
  /** Working directory of all commands, as an absolute path. Absent: the one in Pods. */
  workdir?: string;
  /** Address of the installation. Absent: the installation has none. */
  externalUrl?: string;
}

/** The plan of a build. Secrets stay placeholders, which the gateway replaces. */
export function planBuild(toPlan: BuildToPlan): Plan {
  const { build, pipeline, versions } = toPlan;
  const plan = planWork(toPlan);
  // The same build without its versions, which are text from outside: a version that looks like a placeholder
  // of a secret must not add a container.
  const bare = { build, pipeline, versions: versions.map(() => ({})) };
  return { ...plan, containers: [...plan.containers, ...secretContainersOf(pipeline, () => planWork(bare))] };
}

function planWork({ build, pipeline, versions, previousOutcome, ...toPlan }: BuildToPlan): Plan {
  const { workdir = WORKDIR } = toPlan;
  const job = jobIn(pipeline, build.job);
  const gets = getsOf(job.steps);
  if (versions.length !== gets.length) {
    throw new Error(`job ${build.job} has ${gets.length} gets, but ${versions.length} versions were chosen`);
  }
  const containers = containersOf(pipeline, build.job);
  const context: ActionContext = {
    build,
    pipeline,
    containers: containers.filter(({ service }) => service === undefined),
    services: servicesOf(pipeline, job.steps),
    chosen: new Map(gets.map((get, index) => [get, versions[index] ?? {}])),
    cacheFolders: cacheFolders(build, toPlan.caches),
    variables: { ...buildVariables(build, workdir), ...inputVariablesOf(job, toPlan.inputs) },
    workdir,
    ...defined({ externalUrl: toPlan.externalUrl }),
  };
  const hooks = planHooksOf(job.hooks, { id: '', before: gets }, context);
  const listVariables = (job.inputs ?? [])
    .filter(({ type }) => type === 'list')
    .map(({ name }) => inputVariable(name));
  return {
    format: 3,
    build,
    containers,
    workdir,
    timeoutSeconds: timeoutOfJob(job, toPlan.defaultTimeoutSeconds),
    services: planServices(job.steps, context),
    steps: planSteps(job.steps, { prefix: '', before: [] }, context),
    ...defined({ hooks }),
    notifications: planNotifications(context),
    ...defined({ previousOutcome, notice: joinNotices(cacheNotices(toPlan.caches)) }),
    variables: context.variables,
    ...(listVariables.length > 0 && { listVariables }),
    ...(job.identity && { identity: true as const }),
  };
}

function joinNotices(notices: readonly string[]): string | undefined {
  return notices.length === 0 ? undefined : notices.join(' ');
}

/** The timeout of a build of this job, from the start of its first step. */
export function timeoutOfJob(job: Pick<Job, 'timeoutSeconds'>, defaultTimeoutSeconds?: number): number {
  return job.timeoutSeconds ?? defaultTimeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS;
}

/**
 * The steps that a build of the job records, in order and with the ids of `planBuild`. They do not depend on
 * its versions.
 */
export function plannedSteps(pipeline: Pipeline, job: string): StepRecord[] {
  return recordsOf(planWork(withoutVersions(pipeline, job)));
}

/** The containers of `planBuild`. They do not depend on the versions of the build. */
export function podContainersOf(pipeline: Pipeline, job: string): PlanContainer[] {
  const secrets = secretContainersOf(pipeline, () => planWork(withoutVersions(pipeline, job)));
  return [...containersOf(pipeline, job), ...secrets];
}

function withoutVersions(pipeline: Pipeline, job: string): BuildToPlan {
  const build = { id: '', team: '', pipeline: '', job, number: '', attempt: 0 };
  return { build, pipeline, versions: getsOf(jobIn(pipeline, job).steps).map(() => ({})) };
}

/** Variables that identify the build in every step. */
function buildVariables(build: BuildName, workdir: string): Record<string, string> {
  return {
    WORKDIR: workdir,
    BUILD_NUMBER: build.number,
    BUILD_JOB_NAME: build.job,
    BUILD_PIPELINE_NAME: build.pipeline,
    BUILD_TEAM_NAME: build.team,
  };
}

export function inputVariablesOf(
  { inputs = [] }: Job,
  values: Record<string, string> = {},
): Record<string, string> {
  return Object.fromEntries(
    inputs.map((input) => [inputVariable(input.name), values[input.name] ?? input.default]),
  );
}

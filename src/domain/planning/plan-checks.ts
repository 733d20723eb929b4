import { defined } from '#defined';
import { variablesIn } from '#domain/pipeline/environment-table.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { cacheFolders, type CacheUse } from './cache-volumes.ts';
import { CHECK_TIMEOUT_SECONDS } from './check-deadline.ts';
import { checkContainersOf, containersOfResource } from './containers.ts';
import { resourceIn, resourceTypeIn } from './find-in-pipeline.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import { protocolCheck } from './plan-protocol.ts';
import type { CheckPlan, CheckRun, PlanContainer } from './plan.ts';
import { secretContainersOf } from './secret-containers.ts';
import { WORKDIR } from './workdir.ts';

export interface ChecksToPlan {
  run: string;
  team: string;
  /** Name of the pipeline. */
  name: string;
  pipeline: Pipeline;
  checks: CheckToPlan[];
  /** What was decided about the caches of the resources. */
  caches?: readonly CacheUse[];
  /** Parent of the working directories of the checks, as an absolute path. Absent: the one in Pods. */
  workdir?: string;
}

interface CheckToPlan {
  scope: string;
  resource: string;
  /** The last known version. Absent: this is the first check. */
  last?: Record<string, string>;
  /** The newest known `ref` of each `branch`. */
  branches?: Record<string, string>;
}

/** The checks of one Pod. Throws for a resource whose type has no `check` command. */
export function planChecks(toPlan: ChecksToPlan): CheckRun {
  const { run, team, name, pipeline, checks, caches, workdir = WORKDIR } = toPlan;
  const containers = checkPodContainersOf(
    pipeline,
    checks.map((check) => check.resource),
  );
  const identity = { BUILD_PIPELINE_NAME: name, BUILD_TEAM_NAME: team };
  const folders = cacheFolders({ team, pipeline: name }, caches);
  return {
    format: 2,
    run,
    containers,
    checks: checks.map((check) => planCheck(check, { pipeline, containers, identity, folders, workdir })),
  };
}

/** The step containers of a check Pod. */
export function checkPodContainersOf(pipeline: Pipeline, resources: string[]): PlanContainer[] {
  const textsWithSecrets = resources.map((name) => [
    resourceIn(pipeline, name),
    resourceTypeIn(pipeline, name).check,
  ]);
  return [...checkContainersOf(pipeline, resources), ...secretContainersOf(pipeline, () => textsWithSecrets)];
}

interface CheckContext {
  pipeline: Pipeline;
  containers: PlanContainer[];
  identity: Record<string, string>;
  folders: ReadonlyMap<string, string>;
  workdir: string;
}

/**
 * Each check has its own working directory, which the shim creates and names. For a custom runner the name is
 * chosen here, because the templates of the runner may contain it.
 */
function planCheck(
  check: CheckToPlan,
  { pipeline, containers, identity, folders, workdir: root }: CheckContext,
): CheckPlan {
  const run = resourceTypeIn(pipeline, check.resource).check;
  const workdir = run?.runner === 'custom' ? `${root}/checks/${check.scope}` : undefined;
  const command = planCommand(run, containersOfResource(containers, check.resource), workdir);
  if (!command) throw new Error(`the type of ${check.resource} has nothing to run for a check`);
  const common = {
    scope: check.scope,
    resource: check.resource,
    command,
    timeoutSeconds: CHECK_TIMEOUT_SECONDS,
  };
  const resource = resourceIn(pipeline, check.resource);
  if (resourceTypeIn(pipeline, check.resource).protocol !== undefined)
    return { ...common, call: protocolCheck(resource, check.last), env: identity };
  return {
    ...common,
    ...defined({ workdir }),
    env: {
      ...commandEnvironment(run),
      ...variablesIn('check', {
        ...identity,
        ...defined({ WORKDIR: workdir, CACHE_DIR: folders.get(check.resource) }),
        ...prefixed('param_', resource.params),
        ...prefixed('version_', check.last),
        ...(check.branches && { KNOWN_BRANCHES: JSON.stringify(check.branches) }),
      }),
    },
  };
}

import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { CHECK_TIMEOUT_SECONDS } from './check-deadline.ts';
import { checkContainersOf, resourceIn, resourceTypeIn } from './containers.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { CheckPlan, CheckRun, PlanContainer } from './plan.ts';

export interface ChecksToPlan {
  run: string;
  team: string;
  /** Name of the pipeline. */
  name: string;
  pipeline: Pipeline;
  checks: CheckToPlan[];
}

interface CheckToPlan {
  scope: string;
  resource: string;
  /** The last known version. Absent: this is the first check. */
  last?: Record<string, string>;
}

/** The checks of one Pod. Throws for a resource whose type has no `check` command. */
export function planChecks({ run, team, name, pipeline, checks }: ChecksToPlan): CheckRun {
  const containers = checkContainersOf(
    pipeline,
    checks.map((check) => check.resource),
  );
  const identity = { BUILD_PIPELINE_NAME: name, BUILD_TEAM_NAME: team };
  return {
    format: 1,
    run,
    containers,
    checks: checks.map((check) => planCheck(check, { pipeline, containers, identity })),
    secrets: [],
  };
}

interface PlanContext {
  pipeline: Pipeline;
  containers: PlanContainer[];
  identity: Record<string, string>;
}

/** Each check has its own working directory, so the agent sets `WORKDIR`. */
function planCheck(check: CheckToPlan, { pipeline, containers, identity }: PlanContext): CheckPlan {
  const run = resourceTypeIn(pipeline, check.resource).check;
  const command = planCommand(run, containers);
  if (!command) throw new Error(`the type of ${check.resource} has nothing to run for a check`);
  return {
    scope: check.scope,
    resource: check.resource,
    command,
    env: {
      ...commandEnvironment(run),
      ...identity,
      ...prefixed('param_', resourceIn(pipeline, check.resource).params),
      ...prefixed('version_', check.last),
    },
    timeoutSeconds: CHECK_TIMEOUT_SECONDS,
  };
}

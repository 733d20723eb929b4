import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { CHECK_TIMEOUT_SECONDS } from './check-deadline.ts';
import { checkContainersOf, resourceOf, typeOf } from './containers.ts';
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
  /** The last known version; absent on the first check. */
  last?: Record<string, string>;
}

/** All checks of one Pod. Resources whose type has nothing to run must not be among them. */
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

/** One check. Its working directory is its own, so `WORKDIR` is set where it runs. */
function planCheck(
  check: CheckToPlan,
  known: { pipeline: Pipeline; containers: PlanContainer[]; identity: Record<string, string> },
): CheckPlan {
  const run = typeOf(known.pipeline, check.resource).check;
  const command = planCommand(run, known.containers);
  if (!command) throw new Error(`the type of ${check.resource} has nothing to run for a check`);
  return {
    scope: check.scope,
    resource: check.resource,
    command,
    env: {
      ...commandEnvironment(run),
      ...known.identity,
      ...prefixed('param_', resourceOf(known.pipeline, check.resource).params),
      ...prefixed('version_', check.last),
    },
    timeoutSeconds: CHECK_TIMEOUT_SECONDS,
  };
}

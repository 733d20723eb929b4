import { variablesIn } from '#domain/pipeline/environment-table.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { NotifyStep } from '#domain/pipeline/steps.ts';
import { reachableHooks, type ReachableHook } from '#domain/scheduling/reachable-hooks.ts';
import { containersFor } from './containers.ts';
import { commandOf, notificationIn } from './find-in-pipeline.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { CheckRun, HookPlan, PlanContainer } from './plan.ts';
import { secretContainersOf } from './secret-containers.ts';
import { WORKDIR } from './workdir.ts';

export interface HooksToPlan {
  run: string;
  team: string;
  /** Name of the pipeline. */
  name: string;
  pipeline: Pipeline;
  /** The resource of the versions. */
  resource: string;
  /** Oldest first. */
  versions: { id: string; fields: Record<string, string> }[];
  /** Time left until builds stop waiting for the hooks. */
  leftMs: number;
}

/** Limit for the hooks of one Pod: more would not end in time. */
const MAX_HOOKS = 500;
/** Reserved for ending processes and for the report. */
const END_SECONDS = 3;

/** The hooks of one Pod, version by version. */
export function planHooks(toPlan: HooksToPlan): CheckRun {
  const { run, pipeline, resource, versions, leftMs } = toPlan;
  const containers = hookContainersOf(pipeline, resource);
  const hooks = reachableHooks(pipeline, resource);
  const plans = versions.flatMap((version) =>
    hooks.flatMap((hook, index) =>
      planHook(hook, { version, id: `${version.id}.${index}` }, { ...toPlan, containers }),
    ),
  );
  return {
    format: 2,
    run,
    containers,
    checks: [],
    hooks: {
      workdir: WORKDIR,
      seconds: Math.max(1, Math.floor(leftMs / 1000) - END_SECONDS),
      plans: plans.slice(0, MAX_HOOKS),
      leftOut: Math.max(0, plans.length - MAX_HOOKS),
    },
  };
}

/** The step containers of the Pod of these hooks. */
export function hookContainersOf(pipeline: Pipeline, resource: string): PlanContainer[] {
  const actions = reachableHooks(pipeline, resource).map(({ action }) => action);
  const commands = actions.map((action) => commandOf(pipeline, action));
  const notifications = actions.flatMap((action) =>
    action.kind === 'notify' ? [notificationIn(pipeline, action.notification)] : [],
  );
  const secrets = secretContainersOf(pipeline, () => [actions, commands, notifications]);
  return [...containersFor(commands), ...secrets];
}

interface HookContext extends HooksToPlan {
  containers: PlanContainer[];
}

/** The plan of one hook for one version. Empty: its command has no program. */
function planHook(
  { job, action }: ReachableHook,
  { version, id }: { version: HooksToPlan['versions'][number]; id: string },
  { team, name, pipeline, containers }: HookContext,
): HookPlan[] {
  const run = commandOf(pipeline, action);
  const command = planCommand(run, containers);
  if (command === undefined) return [];
  const notification = action.kind === 'notify' ? notificationOf(pipeline, action) : undefined;
  return [
    {
      id,
      version: version.id,
      job,
      hook: action.kind === 'notify' ? action.notification : (run?.runner ?? ''),
      command,
      env: {
        ...commandEnvironment(run),
        ...variablesIn('onTrigger', {
          BUILD_JOB_NAME: job,
          BUILD_PIPELINE_NAME: name,
          BUILD_TEAM_NAME: team,
          ...notification?.env,
          ...prefixed('version_', version.fields),
        }),
      },
      ...(notification?.message === undefined ? {} : { message: notification.message }),
    },
  ];
}

function notificationOf(pipeline: Pipeline, { notification, params, message }: NotifyStep) {
  const definition = notificationIn(pipeline, notification);
  return {
    env: { ...prefixed('param_', definition.params), ...prefixed('notify_', params) },
    message: message ?? definition.message,
  };
}

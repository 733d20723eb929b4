import type { Command, HookAction, NotifyStep, Pipeline } from '#domain/pipeline/pipeline.ts';
import { reachableHooks, type ReachableHook } from '#domain/scheduling/reachable-hooks.ts';
import { containersFor } from './containers.ts';
import { WORKDIR } from './plan-build.ts';
import { commandEnvironment, planCommand, prefixed } from './plan-command.ts';
import type { CheckRun, HookPlan, PlanContainer } from './plan.ts';

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

/** Hooks of one Pod: more do not fit in the time. */
const MAX_HOOKS = 500;
/** Reserved for ending processes and for the report. */
const END_SECONDS = 3;

/** The hooks of one Pod, version by version. */
export function planHooks(toPlan: HooksToPlan): CheckRun {
  const { run, pipeline, resource, versions, leftMs } = toPlan;
  const containers = hookContainersOf(pipeline, resource);
  const hooks = reachableHooks(pipeline, resource);
  const plans = versions.flatMap((version) =>
    hooks.flatMap((hook) => planHook(hook, version, { ...toPlan, containers })),
  );
  return {
    format: 1,
    run,
    containers,
    checks: [],
    hooks: {
      workdir: WORKDIR,
      seconds: Math.max(1, Math.floor(leftMs / 1000) - END_SECONDS),
      plans: plans.slice(0, MAX_HOOKS),
      leftOut: Math.max(0, plans.length - MAX_HOOKS),
    },
    secrets: [],
  };
}

/** The step containers of the Pod of these hooks. */
export function hookContainersOf(pipeline: Pipeline, resource: string): PlanContainer[] {
  return containersFor(reachableHooks(pipeline, resource).map(({ action }) => commandOf(pipeline, action)));
}

interface HookContext extends HooksToPlan {
  containers: PlanContainer[];
}

/** Empty for a command without a program. */
function planHook(
  { job, action }: ReachableHook,
  version: HooksToPlan['versions'][number],
  { team, name, pipeline, containers }: HookContext,
): HookPlan[] {
  const run = commandOf(pipeline, action);
  const command = planCommand(run, containers);
  if (command === undefined) return [];
  const notified = action.kind === 'notify' ? notificationOf(pipeline, action) : undefined;
  return [
    {
      version: version.id,
      job,
      hook: action.kind === 'notify' ? action.notification : (run?.runner ?? ''),
      command,
      env: {
        ...commandEnvironment(run),
        BUILD_JOB_NAME: job,
        BUILD_PIPELINE_NAME: name,
        BUILD_TEAM_NAME: team,
        ...notified?.env,
        ...prefixed('version_', version.fields),
      },
      ...(notified?.message === undefined ? {} : { message: notified.message }),
    },
  ];
}

function commandOf(pipeline: Pipeline, action: HookAction): Command | undefined {
  if (action.kind === 'command') return action.run;
  if (action.kind !== 'notify') throw new Error(`on_trigger has a ${action.kind}, which needs a build`);
  return notificationOf(pipeline, action).command;
}

function notificationOf(pipeline: Pipeline, { notification: wanted, params, message }: NotifyStep) {
  const notification = pipeline.notifications?.find(({ name }) => name === wanted);
  const type = pipeline.notificationTypes?.find(({ name }) => name === notification?.type);
  if (notification === undefined || type === undefined)
    throw new Error(`the pipeline has no notification ${wanted}`);
  return {
    command: type.notify,
    env: { ...prefixed('param_', notification.params), ...prefixed('notify_', params) },
    message: message ?? notification.message,
  };
}

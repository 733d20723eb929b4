import { defined } from '#defined';
import type { ActionStep, HookAction, Hooks, NotifyStep } from '#domain/pipeline/steps.ts';
import { automaticNotifications } from './find-in-pipeline.ts';
import { asCalled, planAction, plannedAttempts, type ActionContext } from './plan-action.ts';
import { prefixed } from './plan-command.ts';
import type { PlanHooks, PlanNotification, PlanStep } from './plan.ts';
import { versionThatTriggers } from './version-that-triggers.ts';

interface HooksPlace {
  /** Id of the step; empty for the job. */
  id: string;
  /** Variables of the step: a hook that is a command sees some of them. Absent for the job. */
  env?: Record<string, string>;
  before: readonly ActionStep[];
}

/** Undefined: it has no hooks. */
export function planHooksOf(
  hooks: Hooks | undefined,
  place: HooksPlace,
  context: ActionContext,
): PlanHooks | undefined {
  if (hooks === undefined) return undefined;
  const plan = (name: string, actions: readonly HookAction[]): PlanStep[] =>
    actions.map((action, index) => {
      const id = `${place.id === '' ? '' : `${place.id}.`}${name}.${index}`;
      return planHook(action, id, place, context);
    });
  return {
    ...(hooks.onSuccess && { onSuccess: plan('on_success', hooks.onSuccess) }),
    ...(hooks.onFailure && { onFailure: plan('on_failure', hooks.onFailure) }),
    ...(hooks.onCancel && { onCancel: plan('on_cancel', hooks.onCancel) }),
    ...(hooks.ensure && { ensure: plan('ensure', hooks.ensure) }),
  };
}

function planHook(
  action: HookAction,
  id: string,
  { env, before }: HooksPlace,
  context: ActionContext,
): PlanStep {
  const plain = planAction(action, { id, before, ...defined({ ofStep: env }) }, context);
  const planned = asCalled(plain, action, context);
  return action.kind === 'command' ? planned : { ...planned, ...plannedAttempts(action) };
}

/** Notifications with `on`. The agent adds the status of the build. */
export function planNotifications(planned: ActionContext): PlanNotification[] {
  const { pipeline, build, chosen } = planned;
  const version = prefixed('version_', versionThatTriggers([...chosen]));
  const context = { ...planned, variables: { ...planned.variables, ...version } };
  return automaticNotifications(pipeline, build.job).map((notification, index) => {
    const step: NotifyStep = { kind: 'notify', notification: notification.name, params: {} };
    return {
      on: notification.on,
      step: planAction(step, { id: `notification.${index}`, before: [], seenAs: 'notification' }, context),
    };
  });
}

import { defined } from '#defined';
import type { ActionStep, HookAction, Hooks, NotifyStep } from '#domain/pipeline/steps.ts';
import { automaticNotifications } from './find-in-pipeline.ts';
import { notificationId } from './notification-steps.ts';
import { planAction, plannedAttempts, withProtocolCall, type ActionContext } from './plan-action.ts';
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

/** The plan of the hooks of a step, group or job. Undefined: it has no hooks. */
export function planHooksOf(
  hooks: Hooks | undefined,
  place: HooksPlace,
  context: ActionContext,
): PlanHooks | undefined {
  if (hooks === undefined) return undefined;
  const planEvent = (name: string, actions: readonly HookAction[]): PlanStep[] =>
    actions.map((action, index) => {
      const id = `${place.id === '' ? '' : `${place.id}.`}${name}.${index}`;
      return planHook(action, id, place, context);
    });
  return {
    ...(hooks.onSuccess && { onSuccess: planEvent('on_success', hooks.onSuccess) }),
    ...(hooks.onFailure && { onFailure: planEvent('on_failure', hooks.onFailure) }),
    ...(hooks.onCancel && { onCancel: planEvent('on_cancel', hooks.onCancel) }),
    ...(hooks.ensure && { ensure: planEvent('ensure', hooks.ensure) }),
  };
}

function planHook(
  action: HookAction,
  id: string,
  { env, before }: HooksPlace,
  context: ActionContext,
): PlanStep {
  const hook = planAction(action, { id, before, ...defined({ stepVariables: env }) }, context);
  const planned = withProtocolCall(hook, action, context);
  return action.kind === 'command' ? planned : { ...planned, ...plannedAttempts(action) };
}

/**
 * The notifications that are sent automatically when the build ends. The agent adds the status of the build
 * to their variables.
 */
export function planNotifications(buildContext: ActionContext): PlanNotification[] {
  const { pipeline, build, chosen } = buildContext;
  const version = prefixed('version_', versionThatTriggers([...chosen]));
  const context = { ...buildContext, variables: { ...buildContext.variables, ...version } };
  return automaticNotifications(pipeline, build.job).map((notification, index) => {
    const step: NotifyStep = { kind: 'notify', notification: notification.name, params: {} };
    return {
      on: notification.on,
      step: planAction(
        step,
        { id: notificationId(index), before: [], commandContext: 'notification' },
        context,
      ),
    };
  });
}

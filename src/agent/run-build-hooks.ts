import { HOOK_SECONDS } from '#domain/planning/hook-seconds.ts';
import type { PlanHooks, PlanStep } from '#domain/planning/plan.ts';
import type { BuildContext, NodeEnd } from './build-context.ts';
import { runStep } from './run-step.ts';
import type { Stop } from './stop.ts';

export interface HooksInput {
  /** How the step, group, or job ended. */
  end: Pick<NodeEnd, 'status' | 'cause'>;
  /** What earlier steps and the hooks' own step exported. */
  exports: Record<string, string>;
  variables?: Record<string, string>;
  /** Stops the hooks. It is not the Stop of their step, because hooks also run after a cancel. */
  stop: Stop;
}

/**
 * Runs the hooks for the end of a step, group, or job: first those of its outcome, then `ensure`. A hook that
 * fails does not change the outcome.
 */
export async function runOutcomeHooks(
  hooks: PlanHooks | undefined,
  { end, exports, variables = {}, stop }: HooksInput,
  context: BuildContext,
): Promise<void> {
  if (hooks === undefined || end.status === 'skipped') return;
  const timedOut = end.cause?.timedOut === true ? { BUILD_TIMED_OUT: 'true' } : {};
  for (const hook of [...hooksFor(hooks, end.status), ...(hooks.ensure ?? [])]) {
    if (stop.isFinal) return;
    const { exports: exportedByHook } = await runStep(
      { timeoutSeconds: HOOK_SECONDS, ...hook },
      { exports: { ...exports, ...context.hookExports }, variables: { ...variables, ...timedOut }, stop },
      context,
    );
    context.hookExports = { ...context.hookExports, ...exportedByHook };
  }
}

function hooksFor(hooks: PlanHooks, status: NodeEnd['status']): PlanStep[] {
  switch (status) {
    case 'succeeded':
      return hooks.onSuccess ?? [];
    case 'failed':
      return hooks.onFailure ?? [];
    case 'cancelled':
      return hooks.onCancel ?? [];
    case 'skipped':
      return [];
    default:
      throw new Error('a step ended in an unknown way');
  }
}

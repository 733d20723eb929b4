import { HOOK_SECONDS } from '#domain/build/cancel-grace.ts';
import type { PlanHooks, PlanStep } from '#domain/planning/plan.ts';
import type { BuildContext, NodeEnd } from './build-context.ts';
import { runStep } from './run-step.ts';
import type { Stop } from './stop.ts';

export interface HooksInput {
  /** How the step, group, or job ended. */
  end: Pick<NodeEnd, 'status' | 'cause'>;
  /** What hooks see of earlier steps, and of their own. */
  exports: Record<string, string>;
  variables?: Record<string, string>;
  /** Ends hooks. Not the Stop of their step: they run after a cancel too. */
  stop: Stop;
}

/**
 * Runs the hooks that fit the end of a step, group, or job: those of its outcome, then `ensure`. Their own
 * ends change nothing.
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
    const { exports: own } = await runStep(
      { timeoutSeconds: HOOK_SECONDS, ...hook },
      { exports: { ...exports, ...context.hookExports }, variables: { ...variables, ...timedOut }, stop },
      context,
    );
    context.hookExports = { ...context.hookExports, ...own };
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

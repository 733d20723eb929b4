import { isAutomaticNotification } from '#domain/planning/notification-steps.ts';
import type { StepState } from './build-state.ts';

/**
 * The steps that people see. The list leaves out hooks and automatic notifications that did not run, and all
 * steps in a branch that was not taken.
 */
export function listedSteps(steps: readonly StepState[]): StepState[] {
  const hidden = new Set(
    steps.filter(({ kind, status }) => kind === 'branch' && status === 'skipped').map(({ id }) => id),
  );
  return steps.filter((step) => {
    // A branch or group comes before its steps, so its id is in the set by now.
    const isInside = step.parent !== undefined && hidden.has(step.parent);
    const isIdleHook = step.hook !== undefined && (step.status === 'waiting' || step.status === 'skipped');
    if (isInside) hidden.add(step.id);
    return !isInside && !isIdleHook && !isIdleNotification(step);
  });
}

/**
 * Whether the step is an automatic notification that was not sent. `notify` steps of the plan do not count as
 * automatic: they are listed even if they did not run.
 */
function isIdleNotification(step: StepState): boolean {
  const { status } = step;
  return isAutomaticNotification(step) && (status === 'waiting' || status === 'skipped');
}

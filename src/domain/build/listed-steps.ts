import type { StepState } from './build-state.ts';

/** The steps that people are shown: not hooks that do not run, and not what is in a branch that is not taken. */
export function listedSteps(steps: readonly StepState[]): StepState[] {
  const hidden = new Set(
    steps.filter(({ kind, status }) => kind === 'branch' && status === 'skipped').map(({ id }) => id),
  );
  return steps.filter((step) => {
    const isInside = step.parent !== undefined && hidden.has(step.parent);
    const isIdleHook = step.hook !== undefined && (step.status === 'waiting' || step.status === 'skipped');
    if (isInside) hidden.add(step.id);
    return !isInside && !isIdleHook && !isIdleNotification(step);
  });
}

/** An automatic notification of another event. A `notify` step of the plan is listed always. */
function isIdleNotification({ id, status }: StepState): boolean {
  return id.startsWith('notification.') && (status === 'waiting' || status === 'skipped');
}

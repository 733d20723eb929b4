import { decidesOutcome } from '#domain/planning/step-records.ts';
import type { StepState } from './build-state.ts';

/**
 * The first step without proof that it succeeded. Undefined: the build succeeded. Steps of a branch that was
 * not taken need no proof.
 */
export function unprovenStep(steps: readonly StepState[]): StepState | undefined {
  return takenSteps(steps).find((step) => decidesOutcome(step) && step.status !== 'succeeded');
}

/**
 * Whether a cancel can no longer change how the plan ends: it succeeded, or a step outside of groups failed.
 * Its hooks may still run.
 */
export function isPlanDecided(steps: readonly StepState[]): boolean {
  const taken = takenSteps(steps);
  const groups = new Set(steps.filter(({ kind }) => kind === 'parallel').map(({ id }) => id));
  if (
    taken.some((step) => decidesOutcome(step) && step.status === 'failed' && !groups.has(step.parent ?? ''))
  )
    return true;
  const notifySteps = taken.filter(
    ({ id, kind, hook }) => kind === 'notify' && hook === undefined && !id.startsWith('notification.'),
  );
  const haveEnded = notifySteps.every(({ status }) => status === 'succeeded' || status === 'failed');
  return haveEnded && unprovenStep(steps) === undefined;
}

/** The steps without those in branches that were not taken. */
function takenSteps(steps: readonly StepState[]): StepState[] {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const isLeftOut = (step: StepState | undefined): boolean =>
    step !== undefined &&
    ((step.kind === 'branch' && step.status === 'skipped') || isLeftOut(byId.get(step.parent ?? '')));
  return steps.filter((step) => !isLeftOut(step));
}

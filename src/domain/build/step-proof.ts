import { isAutomaticNotification } from '#domain/planning/notification-steps.ts';
import { decidesOutcome } from '#domain/planning/step-records.ts';
import type { StepState } from './build-state.ts';

/**
 * The first step that must succeed, but has not. Undefined: every such step succeeded, so the build did.
 * Steps that cannot change the outcome, and steps of a branch that was not taken, do not count.
 */
export function unprovenStep(steps: readonly StepState[]): StepState | undefined {
  return takenSteps(steps).find((step) => decidesOutcome(step) && step.status !== 'succeeded');
}

/**
 * Whether a cancel can no longer change how the plan ends: the plan succeeded, or a step outside of groups
 * failed. Hooks may still run.
 */
export function isPlanDecided(steps: readonly StepState[]): boolean {
  return hasFailedOutsideGroups(steps) || hasSucceeded(steps);
}

/** A failed step of a group decides nothing yet: the other steps of the group may still run. */
function hasFailedOutsideGroups(steps: readonly StepState[]): boolean {
  const groups = new Set(steps.filter(({ kind }) => kind === 'parallel').map(({ id }) => id));
  return takenSteps(steps).some(
    (step) => decidesOutcome(step) && step.status === 'failed' && !groups.has(step.parent ?? ''),
  );
}

/**
 * Whether the plan has succeeded. Its `notify` steps must have ended too, because one may be the last step;
 * it does not matter whether they succeeded.
 */
function hasSucceeded(steps: readonly StepState[]): boolean {
  const notifySteps = takenSteps(steps).filter(
    (step) => step.kind === 'notify' && step.hook === undefined && !isAutomaticNotification(step),
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

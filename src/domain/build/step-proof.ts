import { decidesOutcome } from '#domain/planning/step-records.ts';
import type { StepState } from './build-state.ts';

/**
 * The first step without proof that it succeeded. Undefined: the build succeeded. Steps of a branch that was
 * not taken need no proof.
 */
export function unprovenStep(steps: readonly StepState[]): StepState | undefined {
  const byId = new Map(steps.map((step) => [step.id, step]));
  const isLeftOut = (step: StepState | undefined): boolean =>
    step !== undefined &&
    ((step.kind === 'branch' && step.status === 'skipped') || isLeftOut(byId.get(step.parent ?? '')));
  return steps.find((step) => decidesOutcome(step) && step.status !== 'succeeded' && !isLeftOut(step));
}

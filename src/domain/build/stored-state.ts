import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { plannedSteps } from '#domain/planning/plan-build.ts';
import type { BuildState, StepState } from './build-state.ts';

/**
 * The steps of an attempt. They are stored with the first event of the attempt. Until then, they are planned
 * from the definition of the pipeline.
 */
export type StoredSteps =
  | { kind: 'recorded'; steps: StepState[] }
  /** `job`: its name in the definition. `ended`: the attempt has ended. */
  | { kind: 'planned'; definition: Pipeline; job: string; ended: boolean };

/** The state of an attempt as the database has it. */
export interface StoredState extends Omit<BuildState, 'steps'> {
  steps: StoredSteps;
}

export function stateOf(stored: StoredState): BuildState {
  return { ...stored, steps: stepsOf(stored.steps) };
}

export function stepsOf(stored: StoredSteps): StepState[] {
  if (stored.kind === 'recorded') return stored.steps;
  const { definition, job, ended } = stored;
  return plannedSteps(definition, job).map((step) => ({ ...step, status: ended ? 'skipped' : 'waiting' }));
}

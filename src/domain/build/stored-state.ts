import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { plannedSteps } from '#domain/planning/plan-build.ts';
import type { BuildState, StepState } from './build-state.ts';

/** The steps of an attempt are stored with its first event. Until then they follow from the definition. */
export type StoredSteps =
  | { kind: 'recorded'; steps: StepState[] }
  /** `definition` absent: retention removed it. `job`: name of the job in the definition. */
  | { kind: 'planned'; definition?: Pipeline; job: string; ended: boolean };

export interface StoredState extends Omit<BuildState, 'steps'> {
  steps: StoredSteps;
}

export function stateOf(stored: StoredState): BuildState {
  return { ...stored, steps: stepsOf(stored.steps) };
}

export function stepsOf(stored: StoredSteps): StepState[] {
  if (stored.kind === 'recorded') return stored.steps;
  const { definition, job, ended } = stored;
  const planned = definition === undefined ? [] : plannedSteps(definition, job);
  return planned.map((step) => ({ ...step, status: ended ? 'skipped' : 'waiting' }));
}

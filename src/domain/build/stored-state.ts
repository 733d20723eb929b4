import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { plannedSteps } from '#domain/planning/plan-build.ts';
import type { BuildState, StepState } from './build-state.ts';

/**
 * Nothing is stored of the steps of an attempt before its first event: until then they follow from the
 * definition.
 */
export type StoredSteps =
  | { kind: 'recorded'; steps: StepState[] }
  /** Absent definition: it is gone. `job` as the definition names it. */
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

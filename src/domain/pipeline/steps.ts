import type { ActionStep, GetStep, Step } from './pipeline.ts';

/** Every step that does one thing, those inside groups and branches included, in the order of the file. */
export function actionsOf(steps: readonly Step[]): ActionStep[] {
  return steps.flatMap((step) => {
    if (step.kind === 'service') return [];
    if (step.kind === 'parallel') return step.steps;
    return step.kind === 'branch' ? step.branches.flatMap((branch) => actionsOf(branch.steps)) : [step];
  });
}

/** The gets of a job, wherever they stand: a build's versions are listed in this order. */
export function getsOf(steps: readonly Step[]): GetStep[] {
  return actionsOf(steps).filter((step) => step.kind === 'get');
}

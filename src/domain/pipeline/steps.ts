import type { ActionStep, GetStep, HookAction, Hooks, Job, Step } from './pipeline.ts';

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

/** What the hooks of a job and of its steps do, but for `on_trigger`. */
export function hookActionsOf(job: Pick<Job, 'steps' | 'hooks'>): HookAction[] {
  return [
    ...actionsOf(job.steps).flatMap((step) => actionsOfHooks(step.hooks)),
    ...groupHooks(job.steps),
    ...actionsOfHooks(job.hooks),
  ];
}

function groupHooks(steps: readonly Step[]): HookAction[] {
  return steps.flatMap((step) => {
    if (step.kind === 'parallel') return actionsOfHooks(step.hooks);
    return step.kind === 'branch' ? step.branches.flatMap((branch) => groupHooks(branch.steps)) : [];
  });
}

function actionsOfHooks({ onSuccess, onFailure, onCancel, ensure }: Hooks = {}): HookAction[] {
  return [onSuccess, onFailure, onCancel, ensure].flatMap((hook) => hook ?? []);
}

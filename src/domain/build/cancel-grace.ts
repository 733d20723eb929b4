import type { Hooks, Job, Step } from '#domain/pipeline/pipeline.ts';

/**
 * A step has ten seconds to end by itself and thirty until it is given up as lost; the rest is for saying so.
 */
const STEP_SECONDS = 60;
const HOOKS_SECONDS = 10 * 60;

/** How long an agent may take to end a build that was cancelled; then its Pod is ended for it. */
export function cancelGraceSeconds(job: Job | undefined): number {
  const hooks = job !== undefined && (cleansUp(job.hooks) || job.steps.some(stepCleansUp));
  return hooks ? HOOKS_SECONDS : STEP_SECONDS;
}

function stepCleansUp(step: Step): boolean {
  if (step.kind === 'service') return false;
  if (step.kind === 'branch') return step.branches.some((branch) => branch.steps.some(stepCleansUp));
  return cleansUp(step.hooks) || (step.kind === 'parallel' && step.steps.some(stepCleansUp));
}

function cleansUp({ onCancel = [], ensure = [] }: Hooks = {}): boolean {
  return onCancel.length > 0 || ensure.length > 0;
}

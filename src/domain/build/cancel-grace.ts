import type { Job } from '#domain/pipeline/pipeline.ts';
import type { Hooks, Step } from '#domain/pipeline/steps.ts';

/** A step has 10 s to end after SIGTERM, and counts as lost after 30 s. The rest is for reporting. */
const STEP_GRACE_SECONDS = 60;
const HOOKS_GRACE_SECONDS = 10 * 60;

/** For a hook whose step has no timeout (decisions, run-time rules: time). */
export const HOOK_SECONDS = 10 * 60;
export const NOTIFICATION_SECONDS = 2 * 60;
/** For everything that runs after a cancel. The agent reports within the rest of the grace. */
export const CLEANUP_SECONDS = HOOKS_GRACE_SECONDS - STEP_GRACE_SECONDS;

/** How long an agent may take to end a cancelled build. Then its Pod is deleted. */
export function cancelGraceSeconds(job: Job | undefined): number {
  const hooks = job !== undefined && (cleansUp(job.hooks) || job.steps.some(stepCleansUp));
  return hooks ? HOOKS_GRACE_SECONDS : STEP_GRACE_SECONDS;
}

function stepCleansUp(step: Step): boolean {
  if (step.kind === 'service') return false;
  if (step.kind === 'branch') return step.branches.some((branch) => branch.steps.some(stepCleansUp));
  return cleansUp(step.hooks) || (step.kind === 'parallel' && step.steps.some(stepCleansUp));
}

function cleansUp({ onCancel = [], ensure = [] }: Hooks = {}): boolean {
  return onCancel.length > 0 || ensure.length > 0;
}

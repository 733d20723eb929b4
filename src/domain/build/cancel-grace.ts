import type { Job } from '#domain/pipeline/pipeline.ts';
import type { Hooks, Step } from '#domain/pipeline/steps.ts';

/**
 * After SIGTERM, a step has 10 s to end. Then the agent sends SIGKILL, and 30 s later the step counts as
 * lost. The agent has the remaining 20 s to report.
 */
const STEP_GRACE_SECONDS = 60;
const HOOKS_GRACE_SECONDS = 10 * 60;

/** Timeout of a hook whose step sets none. */
export const HOOK_SECONDS = 10 * 60;
/** Timeout of a notification. */
export const NOTIFICATION_SECONDS = 2 * 60;
/** Limit for all hooks that run after a cancel. The agent has the remainder of the grace to report. */
export const CLEANUP_SECONDS = HOOKS_GRACE_SECONDS - STEP_GRACE_SECONDS;

/** How long an agent may take to end a cancelled build. Then its Pod is deleted. */
export function cancelGraceSeconds(job: Job | undefined): number {
  const hasCleanup = job !== undefined && (cleansUp(job.hooks) || job.steps.some(stepCleansUp));
  return hasCleanup ? HOOKS_GRACE_SECONDS : STEP_GRACE_SECONDS;
}

function stepCleansUp(step: Step): boolean {
  if (step.kind === 'service') return false;
  if (step.kind === 'branch') return step.branches.some((branch) => branch.steps.some(stepCleansUp));
  return cleansUp(step.hooks) || (step.kind === 'parallel' && step.steps.some(stepCleansUp));
}

function cleansUp({ onCancel = [], ensure = [] }: Hooks = {}): boolean {
  return onCancel.length > 0 || ensure.length > 0;
}

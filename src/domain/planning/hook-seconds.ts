import type { Job } from '#domain/pipeline/pipeline.ts';
import type { HookAction, Hooks, Step } from '#domain/pipeline/steps.ts';

/** Timeout of a hook whose step sets none. */
export const HOOK_SECONDS = 10 * 60;

/**
 * How long hooks may run after the timeout of the job: those of the step or group that runs at that time,
 * then those of the job.
 */
export function hookSecondsOf({ steps, hooks }: Pick<Job, 'steps' | 'hooks'>): number {
  return longestOf(steps) + secondsOfHooks(hooks);
}

const longestOf = (steps: readonly Step[]): number => Math.max(0, ...steps.map(secondsOfStep));

function secondsOfStep(step: Step): number {
  if (step.kind === 'service') return 0;
  if (step.kind === 'branch') return Math.max(0, ...step.branches.map((branch) => longestOf(branch.steps)));
  // Hooks of parallel steps may share a container. Then they run one after another.
  const inside = step.kind === 'parallel' ? step.steps.map(secondsOfStep) : [];
  return sum(inside) + secondsOfHooks(step.hooks);
}

/** The hooks of the outcome whose hooks may take longest, plus those of `ensure`, which follow them. */
function secondsOfHooks({ onSuccess, onFailure, onCancel, ensure }: Hooks = {}): number {
  return Math.max(...[onSuccess, onFailure, onCancel].map(secondsOfActions)) + secondsOfActions(ensure);
}

const secondsOfActions = (actions: readonly HookAction[] = []): number => sum(actions.map(secondsOfAction));

function secondsOfAction(action: HookAction): number {
  if (action.kind === 'command') return HOOK_SECONDS;
  const { timeoutSeconds = HOOK_SECONDS, attempts = 1 } = action;
  return timeoutSeconds * attempts;
}

const sum = (seconds: readonly number[]): number => seconds.reduce((total, each) => total + each, 0);

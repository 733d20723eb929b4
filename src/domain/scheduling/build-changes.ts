import type { Taken } from './facts.ts';
import type { Reason } from './reasons.ts';

/** As in `builds.status`. */
export type Status = 'waiting' | 'pending' | 'started' | 'succeeded' | 'failed' | 'cancelled' | 'warning';

/** No step of the build has begun. */
function isBeforeStart(status: Status): boolean {
  return status === 'waiting' || status === 'pending';
}

export function isActive(status: Status): boolean {
  return isBeforeStart(status) || status === 'started';
}

/** Counts for `passed`. */
export function isGood(status: Status): boolean {
  return status === 'succeeded' || status === 'warning';
}

/** What a build becomes when its plan is over. */
export function endStatus(
  outcome: 'succeeded' | 'failed' | 'cancelled',
  job: { allowFailure?: boolean },
): Status {
  return outcome === 'failed' && job.allowFailure ? 'warning' : outcome;
}

/** `end`: at once and without hooks, since nothing has run. `ask`: the agent runs the hooks and ends it. */
export type CancelAnswer = { answer: 'end' } | { answer: 'ask' } | { answer: 'refused'; reason: Reason };

export function decideCancel(status: Status): CancelAnswer {
  if (isBeforeStart(status)) return { answer: 'end' };
  if (status === 'started') return { answer: 'ask' };
  return { answer: 'refused', reason: { code: 'AlreadyEnded', message: `The build has ended: ${status}.` } };
}

/** A failure that people decide to live with: the build counts as good from then on. */
export function decideWarning(status: Status): { answer: 'marked' } | { answer: 'refused'; reason: Reason } {
  if (status === 'failed') return { answer: 'marked' };
  const message = `Only a failed build can be marked as a warning; this one is ${status}.`;
  return { answer: 'refused', reason: { code: 'NotFailed', message } };
}

interface EndableBuild {
  id: number;
  status: Status;
  /** Nobody asked for it. */
  automatic: boolean;
  inputs: readonly Taken[];
}

/** Automatic builds that have not started and took a version that is disabled now. */
export function cancelledByDisable(disabled: Taken, builds: readonly EndableBuild[]): number[] {
  return builds
    .filter(({ status, automatic }) => automatic && isBeforeStart(status))
    .filter(({ inputs }) =>
      inputs.some((input) => input.resource === disabled.resource && input.version === disabled.version),
    )
    .map(({ id }) => id);
}

/** Builds that have not started and took another version of a resource than the one it is pinned to now. */
export function cancelledByPin(pinned: Taken, builds: readonly Omit<EndableBuild, 'automatic'>[]): number[] {
  return builds
    .filter(({ status }) => isBeforeStart(status))
    .filter(({ inputs }) =>
      inputs.some((input) => input.resource === pinned.resource && input.version !== pinned.version),
    )
    .map(({ id }) => id);
}

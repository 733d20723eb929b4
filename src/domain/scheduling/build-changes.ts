import type { ResourceVersion } from './facts.ts';
import type { Reason } from './reasons.ts';

/**
 * Values of the column `builds.status`. `waiting`: the build waits for approval. `warning`: the build failed,
 * but counts as good.
 */
export type BuildStatus =
  | 'waiting'
  | 'pending'
  | 'started'
  | 'succeeded'
  | 'failed'
  | 'cancelled'
  | 'warning';

function isBeforeStart(status: BuildStatus): boolean {
  return status === 'waiting' || status === 'pending';
}

export function isActive(status: BuildStatus): boolean {
  return isBeforeStart(status) || status === 'started';
}

/** Versions of good builds have passed the job. */
export function isGood(status: BuildStatus): boolean {
  return status === 'succeeded' || status === 'warning';
}

/** The status of a build whose plan has ended. */
export function endStatus(
  outcome: 'succeeded' | 'failed' | 'cancelled',
  job: { allowFailure?: boolean },
): BuildStatus {
  return outcome === 'failed' && job.allowFailure ? 'warning' : outcome;
}

/**
 * Any build that has not ended can be cancelled. A build that has not started then ends at once and without
 * hooks, since no step has run. If the build runs, its agent runs the hooks and ends it.
 */
export function decideCancel(
  status: BuildStatus,
): { answer: 'stopped' } | { answer: 'refused'; reason: Reason } {
  if (isActive(status)) return { answer: 'stopped' };
  return { answer: 'refused', reason: { code: 'AlreadyEnded', message: `The build has ended: ${status}.` } };
}

/** A build marked as a warning counts as good. */
export function decideWarning(
  status: BuildStatus,
): { answer: 'marked' } | { answer: 'refused'; reason: Reason } {
  if (status === 'failed') return { answer: 'marked' };
  const message = `Only a failed build can be marked as a warning. This one is ${status}.`;
  return { answer: 'refused', reason: { code: 'NotFailed', message } };
}

interface EndableBuild {
  id: number;
  status: BuildStatus;
  /** No person requested the build. */
  automatic: boolean;
  inputs: readonly ResourceVersion[];
}

/** Automatic builds that have not started and have the disabled version as an input. */
export function cancelledByDisable(disabled: ResourceVersion, builds: readonly EndableBuild[]): number[] {
  return builds
    .filter(({ status, automatic }) => automatic && isBeforeStart(status))
    .filter(({ inputs }) =>
      inputs.some((input) => input.resource === disabled.resource && input.version === disabled.version),
    )
    .map(({ id }) => id);
}

/** Builds that have not started and have another version of the pinned resource as an input. */
export function cancelledByPin(
  pinned: ResourceVersion,
  builds: readonly Omit<EndableBuild, 'automatic'>[],
): number[] {
  return builds
    .filter(({ status }) => isBeforeStart(status))
    .filter(({ inputs }) =>
      inputs.some((input) => input.resource === pinned.resource && input.version !== pinned.version),
    )
    .map(({ id }) => id);
}

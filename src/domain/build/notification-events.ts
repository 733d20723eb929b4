import type { NotificationEvent } from '#domain/pipeline/pipeline.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildOutcome } from './events.ts';

/**
 * Whether a build with this outcome sends a notification whose attribute `on` has these events. `previous`:
 * how the previous build of the job ended. Without a previous build, a failure counts as a change.
 */
export function sendsFor(
  on: readonly NotificationEvent[],
  outcome: BuildOutcome,
  previous: PreviousOutcome = 'succeeded',
): boolean {
  return on.includes(EVENT_OF[outcome]) || (on.includes('changed') && hasChanged(outcome, previous));
}

const EVENT_OF: Record<BuildOutcome, NotificationEvent> = {
  succeeded: 'success',
  failed: 'failure',
  cancelled: 'cancel',
};

/** A cancelled build proves nothing about the code, so it changes nothing. */
function hasChanged(outcome: BuildOutcome, previous: PreviousOutcome): boolean {
  return outcome !== 'cancelled' && outcome !== previous;
}

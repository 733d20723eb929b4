import type { EventsApplied, StepState } from '#domain/build/build-state.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { Status } from '#domain/scheduling/build-changes.ts';

/** Holds the row of one build against concurrent changes, from the first read on. */
export interface BuildTransaction {
  /** Undefined: there is no such attempt. */
  attempt(attempt: number): Promise<StoredAttempt | undefined>;
  /** Writes what changed since the attempt was read, including the end of its build. */
  record(read: StoredAttempt, changes: AttemptChanges): Promise<void>;
  /** Ends the attempt without an outcome: the build goes back to pending with the next one. */
  retry(read: StoredAttempt, over: AttemptToClose): Promise<void>;
}

export interface StoredAttempt {
  build: number;
  attempt: number;
  state: StoredState;
  pipelineId: number;
  /** Row id. */
  job: number;
  /** A failed build of the job is a warning. */
  allowFailure: boolean;
  /** The attempt is the build's current one. */
  current: boolean;
  ended: boolean;
  /** It had its turn, so it was given a Pod. */
  admitted: boolean;
  /** Somebody asked for the build's end. */
  cancel: boolean;
  createdAt: Date;
}

export interface AttemptChanges extends Omit<EventsApplied, 'end'> {
  /** `good`: what the build took and made counts for `passed`. */
  end?: NonNullable<EventsApplied['end']> & { status: Status; good: boolean };
}

export interface AttemptToClose {
  reason: string;
  at: Date;
  /** Empty: no step of the attempt ran. */
  steps: readonly StepState[];
}

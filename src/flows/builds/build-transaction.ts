import type { EventsApplied, StepState } from '#domain/build/build-state.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';

/** Locks the row of one build from the first read on. */
export interface BuildTransaction {
  /** Undefined: no such attempt. */
  attempt(attempt: number): Promise<StoredAttempt | undefined>;
  /** Writes what changed since the attempt was read, including the end of its build. */
  record(read: StoredAttempt, changes: AttemptChanges): Promise<void>;
  /** Ends the attempt without an outcome. The build becomes pending again, with the next attempt. */
  retry(read: StoredAttempt, over: AttemptToClose): Promise<void>;
}

export interface StoredAttempt {
  build: number;
  attempt: number;
  state: StoredState;
  pipelineId: number;
  /** Row id. */
  job: number;
  /** A failure of this job is only a warning. */
  allowFailure: boolean;
  /** It is the build's current attempt. */
  current: boolean;
  ended: boolean;
  /** The build had its turn, so the attempt has a Pod. */
  admitted: boolean;
  /** The build was asked to stop. */
  cancel: boolean;
  createdAt: Date;
  /** The Team's limit. Absent: the installation's. */
  logLimitBytes?: number;
}

export interface AttemptChanges extends Omit<EventsApplied, 'end'> {
  /**
   * `good`: the build's versions satisfy `passed`. `byAgent`: its agent reported the end, and has sent its
   * notifications.
   */
  end?: NonNullable<EventsApplied['end']> & { status: BuildStatus; good: boolean; byAgent: boolean };
}

export interface AttemptToClose {
  reason: string;
  at: Date;
  /** Empty if no step ran. */
  steps: readonly StepState[];
}

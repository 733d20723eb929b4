import type { EventsApplied, StepState } from '#domain/build/build-state.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';

/** The transaction of one build. Reading an attempt locks the row of the build. */
export interface BuildTransaction {
  /** Undefined: the build has no such attempt. */
  attempt(attempt: number): Promise<StoredAttempt | undefined>;
  /** Writes what changed since `stored` was read, including the end of the build. */
  record(stored: StoredAttempt, changes: AttemptChanges): Promise<void>;
  /** Ends the attempt without an outcome. The build is pending again, with a new attempt. */
  retry(stored: StoredAttempt, toClose: AttemptToClose): Promise<void>;
}

export interface StoredAttempt {
  build: number;
  attempt: number;
  state: StoredState;
  pipelineId: number;
  /** The row id of the job. */
  job: number;
  /** A failure ends the build with a warning. */
  allowFailure: boolean;
  /** This is the build's current attempt. */
  current: boolean;
  ended: boolean;
  /** The build had its turn, so the attempt has a Pod or may get one. */
  hadTurn: boolean;
  /** Somebody or something has cancelled the build. */
  cancel: boolean;
  /** When the build was created. */
  createdAt: Date;
  /** The Team's limit for the bytes of the log. Absent: only that of the installation applies. */
  logLimitBytes?: number;
}

export interface AttemptChanges extends Omit<EventsApplied, 'end'> {
  /**
   * `good`: the build's versions satisfy `passed`. `byAgent`: the build's agent reported the end, and had
   * sent the build's notifications before that.
   */
  end?: NonNullable<EventsApplied['end']> & { status: BuildStatus; good: boolean; byAgent: boolean };
}

export interface AttemptToClose {
  reason: string;
  at: Date;
  /** Empty if no step ran. */
  steps: readonly StepState[];
}

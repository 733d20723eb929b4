/**
 * What an agent tells of its build, in order. `sequence` starts at 1 and has no gaps within one attempt of a build: the receiver
 * applies each number once, so an event may be sent again until it is acknowledged.
 */
export type BuildEvent = { sequence: number; at: string } & (
  | { type: 'step-started'; step: string }
  | { type: 'log'; step: string; text: string }
  | StepEnded
  | { type: 'build-ended'; outcome: BuildOutcome; reason: OutcomeReason; message: string }
);

export interface StepEnded {
  type: 'step-ended';
  step: string;
  status: StepStatus;
  /** Absent when no process ran or a signal ended it. */
  exitCode?: number;
  signal?: string;
  message?: string;
  /** `put`: fields of the version that the push made. */
  version?: Record<string, string>;
}

export type StepStatus = 'succeeded' | 'failed' | 'cancelled' | 'skipped';
export type BuildOutcome = 'succeeded' | 'failed' | 'cancelled';

/** Machine word of why a build ended as it did; `message` says it in a sentence. */
export type OutcomeReason =
  | 'AllStepsSucceeded'
  | 'StepFailed'
  | 'JobTimeout'
  | 'Cancelled'
  | 'AgentFault'
  | 'PodLost'
  | 'PodEvicted'
  | 'OutOfMemory'
  | 'ImagePullFailed'
  | 'Unschedulable'
  | 'QuotaExceeded'
  | 'PodRefused'
  | 'SecretMissing'
  | 'AgentAuthentication';

export type BuildStatus = 'pending' | 'started' | BuildOutcome;

/**
 * Last words of an agent, written to its termination message (at most 4,096 bytes): enough to end the build truthfully when the
 * gateway was out of reach. Steps that are not listed did not end.
 */
export interface TerminationMessage {
  format: 1;
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  /** Step id → exit code; `null` when a signal ended it. */
  exits: Record<string, number | null>;
  /** Highest sequence number the gateway acknowledged. */
  acknowledged: number;
}

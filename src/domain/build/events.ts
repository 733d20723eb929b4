/**
 * What an agent tells of its build, in order. `sequence` starts at 1 and has no gaps within one attempt of a
 * build: the receiver applies each number once, so an event may be sent again until it is acknowledged.
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
  | 'VersionLost'
  | 'Rejected'
  | 'ApprovalExpired'
  | 'Superseded'
  | 'AgentAuthentication';

/** `waiting`: for people to approve it. `warning`: it failed, and counts as good. */
export type BuildStatus = 'pending' | 'waiting' | 'started' | BuildOutcome | 'warning';

/** At most so many bytes of a termination message are kept by the kubelet. */
export const TERMINATION_LIMIT = 4096;

/**
 * Last words of an agent, its termination message: enough to end the build truthfully when the gateway was
 * out of reach. What does not fit is left out whole, never cut, so that its absence shows.
 */
export interface TerminationMessage {
  format: 1;
  outcome: BuildOutcome;
  reason: OutcomeReason;
  /** Empty while the build goes on: these words are for the case that they stay the last. */
  message: string;
  /**
   * Step id → exit code, `null` when there is none, of the steps that ended; those whose end is acknowledged
   * may be missing.
   */
  exits: Record<string, number | null>;
  /** What became of those among them that did not succeed. */
  statuses?: Record<string, Exclude<StepStatus, 'succeeded'>>;
  /**
   * Step id → version of a put that succeeded, `{}` if it made none. One that is missing and not acknowledged
   * did not fit.
   */
  versions?: Record<string, Record<string, string>>;
  /** Highest sequence number the gateway acknowledged. */
  acknowledged: number;
}

import type { Metadata } from './parse-protocol-output.ts';

/**
 * What an agent reports of its build, in order. `sequence` starts at 1 and has no gaps within one attempt.
 * The receiver applies each number once, so the agent sends an event until it is acknowledged.
 */
export type BuildEvent = { sequence: number; at: string } &
  /** `attempt`: absent for the first. A step of a group starts again with each attempt of the group. */
  (
    | { type: 'step-started'; step: string; attempt?: number }
    | { type: 'log'; step: string; text: string }
    | StepEnded
    | BuildEnded
  );

interface BuildEnded {
  type: 'build-ended';
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  /** False: the agent was stopped before it had sent the automatic notifications. Absent: it sent them. */
  notified?: boolean;
}

export interface StepEnded {
  type: 'step-ended';
  step: string;
  status: StepStatus;
  /** Absent: no process ran, or a signal ended it. */
  exitCode?: number;
  signal?: string;
  message?: string;
  /** The version that a `put` made. */
  version?: Record<string, string>;
  /** What a type with a protocol reports about the version, in a `get` or `put`. */
  metadata?: Metadata[];
  /** Size of the files in the cache of the step, if they could be counted in time. */
  cacheBytes?: number;
  /** Name of the cache of a task: `<job>:<cache>`. */
  cache?: string;
}

export type StepStatus = 'succeeded' | 'failed' | 'cancelled' | 'skipped';
export type BuildOutcome = 'succeeded' | 'failed' | 'cancelled';

/** Reasons that an agent knows itself. The others come from the status of its Pod, or from decisions. */
export const AGENT_REASONS = [
  'AllStepsSucceeded',
  'StepFailed',
  'StepTimeout',
  'ServiceFailed',
  'SecretMissing',
  'IdentityMissing',
  'OutOfMemory',
  'JobTimeout',
  'Cancelled',
  'AgentFault',
] as const;

/** Stable code of why a build ended as it did. `message` is the sentence. */
export type OutcomeReason =
  | (typeof AGENT_REASONS)[number]
  | 'PodLost'
  | 'PodEvicted'
  | 'ImagePullFailed'
  | 'Unschedulable'
  | 'CacheUnavailable'
  | 'QuotaExceeded'
  | 'PodRefused'
  | 'VersionLost'
  | 'Rejected'
  | 'ApprovalExpired'
  | 'Superseded'
  | 'AgentAuthentication';

/** The kubelet cuts longer termination messages. */
export const MAX_TERMINATION_BYTES = 4096;

/**
 * The termination message of an agent: enough to end the build correctly if the agent could not reach the
 * gateway. Entries that do not fit are left out whole, never cut.
 */
export interface TerminationMessage {
  format: 1;
  outcome: BuildOutcome;
  reason: OutcomeReason;
  /** Empty while the build runs: the message is written early, in case the agent dies. */
  message: string;
  /** Step id → exit code (`null`: none) of steps that ended. Acknowledged ends may be missing. */
  exits: Record<string, number | null>;
  /** Step id → status of steps that did not succeed. */
  statuses?: Record<string, Exclude<StepStatus, 'succeeded'>>;
  /**
   * Step id → version of a put that succeeded, `{}` if it made none. If the end of such a put was not
   * acknowledged and its version is missing here, the version did not fit.
   */
  versions?: Record<string, Record<string, string>>;
  /** The highest acknowledged sequence number. */
  acknowledged: number;
}

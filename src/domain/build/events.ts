import type { Metadata } from './parse-protocol-output.ts';

/**
 * What an agent reports about its build. `sequence` starts at 1 and has no gaps within one attempt of the
 * build. The gateway applies each number once, so the agent can repeat an event until the gateway
 * acknowledges it. `at`: time in RFC 3339. `step`: id of a step in the plan.
 */
export type BuildEvent = { sequence: number; at: string } &
  /**
   * `attempt`: number of the step's attempt; absent for the first. A step of a group starts again with each
   * attempt of the group.
   */
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
  /** False: the agent was stopped before it could send the automatic notifications. Absent: it sent them. */
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
  /** The version that a `put` created. */
  version?: Record<string, string>;
  /** What a resource type with a `protocol` reports about the version of a `get` or `put`. */
  metadata?: Metadata[];
  /**
   * Size of all files in the cache of the step. Absent: the step has no cache, or measuring it took too long.
   */
  cacheBytes?: number;
  /** Name of the cache of a task: `<job>:<cache>`. */
  cache?: string;
}

export type StepStatus = 'succeeded' | 'failed' | 'cancelled' | 'skipped';
export type BuildOutcome = 'succeeded' | 'failed' | 'cancelled';

/**
 * Reasons with which an agent can end a build by an event. All other reasons come from its termination
 * message, the status of the Pod, or decisions of the operator and of people.
 */
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

/** Stable code that says why a build ended as it did. A `message` beside it says the same in a sentence. */
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

/** Limit for a termination message. The kubelet cuts longer messages. */
export const MAX_TERMINATION_BYTES = 4096;

/**
 * The termination message of an agent: enough to end the build correctly if the agent could not reach the
 * gateway. An entry that does not fit is left out as a whole.
 */
export interface TerminationMessage {
  format: 1;
  outcome: BuildOutcome;
  reason: OutcomeReason;
  /** Empty while the build runs. The agent writes the termination message early, in case it is killed. */
  message: string;
  /**
   * Step id → exit code of the steps that ended (`null`: no exit code). Steps whose end the gateway has
   * acknowledged may be missing.
   */
  exits: Record<string, number | null>;
  /** Step id → status of steps that did not succeed. */
  statuses?: Record<string, Exclude<StepStatus, 'succeeded'>>;
  /**
   * Step id → version of each put that succeeded; `{}` if the put created none. A put may be missing because
   * its end was acknowledged. If it was not acknowledged, its version did not fit into the message.
   */
  versions?: Record<string, Record<string, string>>;
  /** The highest acknowledged sequence number. */
  acknowledged: number;
}

import type { StepRecord } from '#domain/planning/step-records.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildOutcome, OutcomeReason, StepEnded, StepStatus } from './events.ts';
import type { Metadata } from './parse-protocol-output.ts';

/** The state of one attempt of a build, as its events describe it. */
export interface BuildState {
  status: BuildStatus;
  /** Sequence number of the last event that was applied. */
  applied: number;
  /** How many bytes of its limit the log of the build has used (see `cutLog`). */
  logBytes: number;
  /** The planned steps, in the order of the plan. */
  steps: StepState[];
}

/** A planned step and its progress. */
export interface StepState extends StepRecord {
  status: 'waiting' | 'started' | StepStatus;
  /** Number of the step's attempt that started last. Absent: the first attempt. */
  attempt?: number;
  startedAt?: string;
  endedAt?: string;
  exitCode?: number;
  message?: string;
  /** What a resource type with a `protocol` reports about the version of a get or put. */
  metadata?: Metadata[];
}

/** What a batch of events changes in the database. */
export interface EventsApplied {
  state: BuildState;
  /** When the attempt started. Present only if the batch has the first `step-started` of the attempt. */
  startedAt?: string;
  logs: { sequence: number; step: string; text: string; at: string }[];
  /**
   * The ends of successful puts that created a version, with this version. These become versions of the
   * resources.
   */
  puts: (StepEnded & { version: Record<string, string> })[];
  /**
   * Cache sizes that steps reported. `resource`: name of the resource or, for the cache of a task,
   * `<job>:<cache>`.
   */
  cacheSizes?: { resource: string; bytes: number }[];
  end?: { outcome: BuildOutcome; reason: OutcomeReason; message: string; at: string };
}

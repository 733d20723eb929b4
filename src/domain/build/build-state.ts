import type { StepRecord } from '#domain/planning/step-records.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildOutcome, OutcomeReason, StepEnded, StepStatus } from './events.ts';
import type { Metadata } from './parse-protocol-output.ts';

/** The state of one attempt of a build, from its events. */
export interface BuildState {
  status: BuildStatus;
  /** Highest sequence number applied. */
  applied: number;
  /** Bytes that the build's log has used of its limit (see `cutLog`). */
  logBytes: number;
  /** Planned steps in order. */
  steps: StepState[];
}

/** A planned step and how far it is. */
export interface StepState extends StepRecord {
  status: 'waiting' | 'started' | StepStatus;
  /** Attempt of the step that started last. Absent: the first. */
  attempt?: number;
  startedAt?: string;
  endedAt?: string;
  exitCode?: number;
  message?: string;
  /** What a type with a protocol reports about the version of a get or put. */
  metadata?: Metadata[];
}

/** What a batch of events changes. The store writes it. */
export interface EventsApplied {
  state: BuildState;
  /** Set by the first `step-started`. */
  startedAt?: string;
  logs: { sequence: number; step: string; text: string; at: string }[];
  /** Versions of successful puts. They become versions of the resource. */
  puts: (StepEnded & { version: Record<string, string> })[];
  /** Sizes of the resources' caches. */
  cacheSizes?: { resource: string; bytes: number }[];
  end?: { outcome: BuildOutcome; reason: OutcomeReason; message: string; at: string };
}

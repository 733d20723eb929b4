import type { BuildOutcome, BuildStatus, OutcomeReason, StepEnded, StepStatus } from './events.ts';

/** One attempt of a build as far as its events tell. */
export interface BuildState {
  status: BuildStatus;
  /** Highest sequence number applied. */
  applied: number;
  /** What its log has used of the limit (see log-limit). */
  logBytes: number;
  /** Planned steps in order. */
  steps: StepState[];
}

export interface StepState {
  id: string;
  kind: 'get' | 'task' | 'put';
  name: string;
  resource?: string;
  status: 'waiting' | 'started' | StepStatus;
  startedAt?: string;
  endedAt?: string;
  exitCode?: number;
  message?: string;
}

/** What a batch of events changes, for the store to write. */
export interface EventsApplied {
  state: BuildState;
  /** Set by the first `step-started`. */
  startedAt?: string;
  logs: { sequence: number; step: string; text: string; at: string }[];
  /** Successful puts: their versions become versions of the resource. */
  puts: (StepEnded & { version: Record<string, string> })[];
  end?: { outcome: BuildOutcome; reason: OutcomeReason; message: string; at: string };
}

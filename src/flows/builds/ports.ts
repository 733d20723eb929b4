import type { BuildOutcome, OutcomeReason, TerminationMessage } from '#domain/build/events.ts';
import type { StartTimes } from '#domain/build/start-times.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { PreviousOutcome } from '#domain/planning/plan.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { BuildPodStore, OpenAttempt, PendingBuild } from '#flows/pods/workloads.ts';
import type { BuildTransaction } from './build-transaction.ts';
import type { PipelineTransaction } from './schedule-ports.ts';
import type { TriggerStore } from './trigger-ports.ts';
import type { TurnStore } from './turn-ports.ts';

/*
 * What flows need from outside. Every method that writes is one transaction: atomic, safe to repeat after a
 * crash and to run concurrently. The `work` of a `with…` method runs inside the transaction and may run again
 * after a conflict, so `work` acts through `tx` only; the flow notifies others afterwards. `at` is the
 * caller's clock. Row ids are safe integers. Notifications are hints: losing one costs time, never work.
 */

export interface AttemptRef {
  /** Row id. */
  build: number;
  attempt: number;
}

export interface AttemptFacts extends PendingBuild {
  status: BuildStatus;
  podUid?: string;
  /** Name of the warm Pod that the attempt took. Absent: the name follows from the attempt. */
  podName?: string;
  podCreatedAt?: Date;
  /** When the attempt's Pod got its node. Present once `recordStart` has recorded the start of the Pod. */
  podScheduledAt?: Date;
  /** When somebody or something first cancelled the build, and the reason to show. */
  cancelled?: { at: Date; reason?: string };
  /** Number of earlier attempts in which steps ran. */
  retries: number;
  /** In the order of the job's gets. */
  versions: Record<string, string>[];
  /**
   * The value of each input of the job, by name. Absent from facts without text from outside
   * (fill-secrets.ts).
   */
  inputs?: Record<string, string>;
  /** The Team's limit for the bytes of the log. Absent: only that of the installation applies. */
  logLimitBytes?: number;
  /** Absent: no older build of the job succeeded or failed. */
  previousOutcome?: PreviousOutcome;
  /** Which caches the attempt uses, as decided when its Pod was created. */
  caches?: CacheUse[];
}

export interface BuildStore extends TriggerStore, TurnStore, BuildPodStore {
  /**
   * Pipelines with a request that is newer than their last decision, except those with too many queued
   * builds.
   */
  pipelinesToSchedule(limit: number): Promise<number[]>;
  /**
   * The facts of `tx` are those of the jobs that wait for a decision, or of the first ones if there are too
   * many.
   */
  withPipeline<T>(pipeline: number, work: (tx: PipelineTransaction) => Promise<T>): Promise<T>;
  /**
   * Builds that had their turn, whose current attempt has no Pod, and that are not delayed: the oldest of
   * each team, then the second of each, and so on. Leaves out the namespaces in `except`.
   */
  buildsToStart(limit: number, except?: string[]): Promise<PendingBuild[]>;
  /**
   * Records why the start window holds these builds. Unlike `explainPending`, does not delay them. Writes a
   * reason only if its code changes. Returns the row ids of the builds whose code changed.
   */
  explainHeld(held: readonly { build: number; code: string; reason: string }[]): Promise<number[]>;
  /** Milliseconds until the first delayed build is due; undefined if none is delayed. */
  nextStartMs(): Promise<number | undefined>;
  /**
   * Records the reason for the builds of the namespace that need a Pod and are not delayed. Does not delay
   * them: the next `buildsToStart` returns them again.
   */
  explainFull(namespace: string, reason: string): Promise<void>;
  /**
   * Ends the delay of the oldest builds of the namespace whose Pods were refused, for any reason but tags.
   * Returns how many such builds are still delayed.
   */
  tryRefused(namespace: string): Promise<number>;
  /**
   * Ends the delay of all builds of the namespace whose Pods were refused for any reason. Returns whether any
   * were delayed.
   */
  tryAllRefused(namespace: string): Promise<boolean>;
  podCreated(build: number, attempt: number, podUid: string, at: Date): Promise<void>;
  /** Records the start of the attempt's Pod, unless a start is recorded already. */
  recordStart(attempt: AttemptRef, podUid: string, times: StartTimes): Promise<void>;
  /**
   * Records why the build is pending. If it has no Pod, delays it: 2 seconds at first, then longer, at most a
   * minute.
   */
  explainPending(build: number, reason: string): Promise<void>;
  /**
   * Undefined if the attempt is no longer current. A build that has ended keeps its facts: a caller that acts
   * for an agent has to ask whether `status` is active.
   */
  attemptFacts(build: number, attempt: number): Promise<AttemptFacts | undefined>;
  /**
   * `mayDecide`: the build may end or make a version, so the pipeline's lock is taken before the build's row.
   * Without it, `work` must do neither.
   */
  withBuild<T>(
    build: number,
    options: { mayDecide: boolean },
    work: (tx: BuildTransaction) => Promise<T>,
  ): Promise<T>;
  /** Current attempts of builds that had their turn and have not ended. */
  openAttempts(): Promise<OpenAttempt[]>;
  /** Undefined: the build has no such attempt. */
  buildState(build: number, attempt: number): Promise<StoredState | undefined>;
}

/**
 * The end of a build whose agent reported no end. `termination`: steps and versions from the agent's
 * termination message.
 */
export interface BuildEnd {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: Date;
  termination?: TerminationMessage;
}

export interface AttemptEnd {
  reason: string;
  at: Date;
  termination?: TerminationMessage;
}

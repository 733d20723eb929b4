import type { BuildOutcome, BuildStatus, OutcomeReason, TerminationMessage } from '#domain/build/events.ts';
import type { StoredState } from '#domain/build/stored-state.ts';
import type { BuildPodStore, OpenAttempt, PendingBuild } from '#flows/pods/workloads.ts';
import type { BuildTransaction } from './build-transaction.ts';
import type { PipelineTransaction } from './schedule-ports.ts';
import type { TriggerStore } from './trigger-ports.ts';
import type { TurnStore } from './turn-ports.ts';

/*
 * What flows need from outside. Every method is one transaction, safe to repeat after a crash, and safe
 * beside itself in another process. The `work` of a `with…` method runs inside of it and may run again after
 * a conflict: it acts through `tx` only, and the flow notifies others afterwards. `at` is the caller's clock.
 * Row ids are safe integers. Notifications are hints: losing one costs time, never work.
 */

export interface AttemptRef {
  /** Row id. */
  build: number;
  attempt: number;
}

export interface AttemptFacts extends PendingBuild {
  status: BuildStatus;
  podUid?: string;
  podCreatedAt?: Date;
  /** When somebody first asked for its end, and how that is told. */
  cancelled?: { at: Date; reason?: string };
  /** Earlier attempts that had run steps. */
  retries: number;
  /** By position of the job's gets. */
  versions: Record<string, string>[];
}

export interface BuildStore extends TriggerStore, TurnStore, BuildPodStore {
  /** Pipelines with a request newer than the last decision. */
  pipelinesToSchedule(limit: number): Promise<number[]>;
  /** The facts of its transaction are those of the jobs that wait for a decision, or of the first of them. */
  withPipeline<T>(pipeline: number, work: (tx: PipelineTransaction) => Promise<T>): Promise<T>;
  /**
   * Builds that have had their turn and whose current attempt has no Pod yet: the oldest of each team, then
   * the second of each, and so on; none of the namespaces named.
   */
  buildsToStart(limit: number, except?: string[]): Promise<PendingBuild[]>;
  /**
   * Shows why these builds have no Pod yet. They are not put off. Answers those that had another reason
   * before.
   */
  explainHeld(held: readonly { build: number; code: string; reason: string }[]): Promise<number[]>;
  /** Milliseconds until the first of the builds that are put off is to start; undefined when none is. */
  nextStartMs(): Promise<number | undefined>;
  /**
   * Shown for all builds of the namespace that are to start. They are not put off: whoever looks next finds
   * them again.
   */
  explainFull(namespace: string, reason: string): Promise<void>;
  /**
   * The oldest builds of the namespace whose Pods were refused for want of room are put off no longer.
   * Answers how many others still are.
   */
  tryRefused(namespace: string): Promise<number>;
  /** None of the namespace is put off any longer. Answers whether any was. */
  tryAllRefused(namespace: string): Promise<boolean>;
  /** The Pod exists. */
  podCreated(build: number, attempt: number, podUid: string, at: Date): Promise<void>;
  /**
   * Shown as the reason why the build is pending. Without a Pod it is also tried again a little later each
   * time.
   */
  explainPending(build: number, reason: string): Promise<void>;
  /** Undefined when another attempt took its place. */
  attemptFacts(build: number, attempt: number): Promise<AttemptFacts | undefined>;
  /**
   * `mayDecide`: the build may end or make a version, so the pipeline's lock is taken before the build's row.
   * Without it, `work` must write neither.
   */
  withBuild<T>(
    build: number,
    what: { mayDecide: boolean },
    work: (tx: BuildTransaction) => Promise<T>,
  ): Promise<T>;
  /** Attempts of builds that have not ended, for the comparison with Pods. */
  openAttempts(): Promise<OpenAttempt[]>;
  /** Undefined: there is no such attempt. */
  buildState(build: number, attempt: number): Promise<StoredState | undefined>;
}

/**
 * The end of a build that its events did not report. `words`: what its agent left behind of steps and
 * versions.
 */
export interface BuildEnd {
  outcome: BuildOutcome;
  reason: OutcomeReason;
  message: string;
  at: Date;
  words?: TerminationMessage;
}

export interface AttemptOver {
  reason: string;
  at: Date;
  words?: TerminationMessage;
}

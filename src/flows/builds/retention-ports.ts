import type { OldVersion, RetainDecision, RetainFacts, Retention } from '#domain/scheduling/retain.ts';
import type { FactsTransaction } from './schedule-ports.ts';

export interface RetentionStore {
  /**
   * One bounded transaction of the leader. `work` may run again after a conflict: it acts through its
   * transaction only.
   */
  withHistory<T>(work: (tx: RetentionTransaction) => Promise<T>): Promise<T>;
}

export interface RetentionTransaction {
  /**
   * The one that has waited longest of those that had no turn since then, alone with its pipeline; undefined:
   * all had theirs.
   */
  nextTurn(of: TurnOf, since: Date): Promise<RetentionTurn | undefined>;
  /**
   * The oldest builds of the job that this turn has not looked at, at most so many, and what protects them.
   */
  oldBuilds(turn: RetentionTurn, limit: number, keep: Required<Retention>): Promise<OldBuilds>;
  /** Jobs that take what has passed this one; undefined: there are none. */
  downstreamOf(turn: RetentionTurn): Promise<FactsTransaction | undefined>;
  /** Removes builds with everything that hangs on them, raises baselines, and removes the logs of others. */
  removeBuilds(turn: RetentionTurn, decision: RetainDecision, builds: OldBuilds['builds']): Promise<void>;
  /**
   * The oldest versions of the resource that this turn has not looked at, at most so many, and what protects
   * them.
   */
  oldVersions(turn: RetentionTurn, limit: number): Promise<OldVersions>;
  /** Removes the fields of versions, by row id; that they were found stays known. */
  forgetVersions(versions: readonly number[]): Promise<void>;
  /** The next turn goes on behind this row id; undefined: the turn is over. */
  leaveTurn(turn: RetentionTurn, last: number | undefined, at: Date): Promise<void>;
  /**
   * Some definitions of the pipeline that were replaced before then and that nothing names. Answers how many
   * went.
   */
  removeOldRevisions(pipeline: number, replacedBefore: Date): Promise<number>;
  /** Some ends of check runs and of requests. Answers how many went. */
  removeRecords(before: RecordsBefore): Promise<number>;
}

export type TurnOf = 'jobs' | 'resources';

export interface RetentionTurn {
  of: TurnOf;
  /** Row id of the job, or of the history of the resource. */
  id: number;
  pipeline: number;
  /** What has a row id up to this was looked at in this turn. */
  from: number;
  /** What the Team says; absent fields have their defaults. */
  policy: Retention;
}

export interface OldBuilds extends Pick<RetainFacts, 'oldestKept' | 'oldestGoodKept' | 'pinned'> {
  /** Oldest first. */
  builds: (RetainFacts['builds'][number] & { createdAt: Date })[];
}

export interface OldVersions {
  /** Oldest first. */
  versions: OldVersion[];
  pinned?: number;
  /** Newest one, and newest enabled one. */
  newest: number[];
  /** Lowest baseline of the triggers that take every version of the resource. */
  lowestBaseline?: number;
}

/** Records that ended, or were made, before these times go. */
export interface RecordsBefore {
  checkRuns: Date;
  refusedRequests: Date;
  /** Requests that follow a triggered version and have no build: no build upstream has succeeded. */
  waitingRequests: Date;
}

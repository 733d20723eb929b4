import type {
  OldVersion,
  RetainDecision,
  RetainFacts,
  Retention,
} from '#domain/retention/decide-retention.ts';
import type { FactsTransaction } from '#flows/builds/schedule-ports.ts';

export interface RetentionStore {
  /** The time by the clock of the database. */
  now(): Promise<Date>;
  /**
   * One bounded transaction, refused if the leader epoch is over. `work` may run again after a conflict, so
   * `work` acts through `tx` only.
   */
  withHistory<T>(work: (tx: RetentionTransaction) => Promise<T>): Promise<T>;
}

export interface RetentionTransaction {
  /**
   * Finds the job or resource that waited longest and had no turn after `since`, and locks its pipeline.
   * Undefined: all had a turn.
   */
  nextTurn(of: TurnOf, since: Date): Promise<RetentionTurn | undefined>;
  /** The oldest builds of the job that this turn has not read, at most `limit`, and what protects them. */
  oldBuilds(turn: RetentionTurn, limit: number, keep: Required<Retention>): Promise<OldBuilds>;
  /** Reads facts of the jobs whose `passed` names this job. Undefined: there are none. */
  downstreamFacts(turn: RetentionTurn): Promise<FactsTransaction | undefined>;
  /**
   * Removes builds with everything that belongs to them, raises baselines, and removes logs of other builds.
   */
  removeBuilds(turn: RetentionTurn, decision: RetainDecision, builds: OldBuilds['builds']): Promise<void>;
  /**
   * The oldest versions of the resource that this turn has not read, at most `limit`, and what protects them.
   */
  oldVersions(turn: RetentionTurn, limit: number): Promise<OldVersions>;
  /** Removes the fields of versions (row ids). Their digests stay, so a check does not find them as new. */
  forgetVersions(versions: readonly number[]): Promise<void>;
  /** The turn continues after this row id; undefined: the turn is over. */
  leaveTurn(turn: RetentionTurn, last: number | undefined, at: Date): Promise<void>;
  /** Removes some unreferenced revisions that were replaced before this time. Returns their number. */
  removeOldRevisions(pipeline: number, replacedBefore: Date): Promise<number>;
  /** Removes some of the oldest ended check runs and requests without a build. Returns their number. */
  removeRecords(before: RecordsBefore): Promise<number>;
}

export type TurnOf = 'jobs' | 'resources';

export interface RetentionTurn {
  of: TurnOf;
  /** Row id of the job, or of the check scope. */
  id: number;
  pipeline: number;
  /** This turn has read rows up to this id. */
  from: number;
  /** The Team's policy. `retentionOf` fills in the defaults of absent fields. */
  policy: Retention;
}

export interface OldBuilds extends Pick<RetainFacts, 'oldestRetained' | 'oldestGoodRetained' | 'pinned'> {
  /** Oldest first. */
  builds: (RetainFacts['builds'][number] & { createdAt: Date })[];
}

export interface OldVersions {
  /** Oldest first. */
  versions: OldVersion[];
  pinned?: number;
  /** Row ids of the newest version and of the newest enabled version. */
  newest: number[];
  /** Lowest baseline of the gets that trigger on every version. */
  lowestBaseline?: number;
}

/** Times before which a check run ended, or a request was created, that retention removes. */
export interface RecordsBefore {
  checkRuns: Date;
  refusedRequests: Date;
  /** Requests that follow a triggered version and have no build. */
  waitingRequests: Date;
}

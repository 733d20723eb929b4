import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts, GoodBuildPage, NeededPage, UsedVersionPage } from '#domain/scheduling/facts.ts';
import type { InterruptFacts } from '#domain/scheduling/interrupt-older.ts';
import type { TurnConstraints } from '#domain/scheduling/start-queued.ts';
import type { BuildRef } from '#flows/names.ts';

/** Reads what a decision on jobs of one pipeline needs. Call `facts` before `older`. */
export interface FactsTransaction {
  /** The jobs, and for each get the newest page of its history. `rows`: size of a page. */
  facts(rows: number): Promise<GatheredFacts>;
  /** Older pages that the decision needs. `rows`: size of a page. */
  older(needs: readonly NeededPage[], rows: number): Promise<Pages>;
}

/**
 * Holds the pipeline's lock: until the transaction ends, no other one saves the pipeline, decides on builds,
 * or ends or cancels one.
 */
export interface PipelineTransaction extends FactsTransaction {
  /** The open builds of these jobs, and the origins of the versions of these builds and of `versions`. */
  interruptFacts(wanted: { jobs: readonly number[]; versions: readonly number[] }): Promise<InterruptFacts>;
  /** Writes the decision on the facts that were read, and completes the requests in these facts. */
  write(decision: Decision, options: WriteOptions): Promise<DecisionWritten>;
}

export interface GatheredFacts extends Omit<Facts, 'ids'> {
  /** Row ids of versions by their places. Has no entry if the row id equals the place. */
  ids: ReadonlyMap<number, number>;
  /** What decides whether a build gets its turn, by job. */
  turnConstraints: ReadonlyMap<number, TurnConstraints>;
  /** More jobs wait for a decision than were read: decide on the pipeline again. */
  more: boolean;
}

export interface Pages {
  passes: GoodBuildPage[];
  used: UsedVersionPage[];
  /** As in `GatheredFacts`. */
  ids: ReadonlyMap<number, number>;
}

export interface WriteOptions {
  /** Jobs that are not paused and that no limit of the job or team holds: their builds need no turn. */
  startAtOnce: ReadonlySet<number>;
  at: Date;
}

export interface DecisionWritten {
  made: MadeBuild[];
  /** Row ids of superseded builds. */
  interrupted: number[];
}

export interface MadeBuild extends BuildRef {
  id: number;
  /** The manual request that the build answers. */
  request?: number;
}

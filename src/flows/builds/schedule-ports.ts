import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts, Need, PassPage, UsedPage } from '#domain/scheduling/facts.ts';
import type { Hold } from '#domain/scheduling/start-queued.ts';
import type { BuildRef } from '#flows/names.ts';

/** Reads what a decision on jobs of one pipeline needs. Read the facts before older pages. */
export interface FactsTransaction {
  /**
   * The jobs with the newest page of everything that their gets look back on; a page has at most so many
   * rows.
   */
  facts(rows: number): Promise<GatheredFacts>;
  /** The pages that a decision on these facts could not do without, at most so many rows each. */
  older(needs: readonly Need[], rows: number): Promise<Pages>;
}

/** Holds the pipeline's lock: nobody else saves it, decides on it or cancels its builds meanwhile. */
export interface PipelineTransaction extends FactsTransaction {
  /** Writes the decision on the facts that were read, and marks the requests among them as dealt with. */
  write(decision: Decision, more: WriteOptions): Promise<DecisionWritten>;
}

export interface GatheredFacts extends Omit<Facts, 'ids'> {
  ids: ReadonlyMap<number, number>;
  /** By job: what may hold its builds back. */
  holds: ReadonlyMap<number, Hold>;
  /** More jobs of the pipeline may wait for a decision than were read: decide again at once. */
  more: boolean;
}

export interface Pages {
  passes: PassPage[];
  used: UsedPage[];
  /** As in the facts. */
  ids: ReadonlyMap<number, number>;
}

export interface WriteOptions {
  /** Jobs whose builds share nothing, so that they start without waiting for a turn. */
  startAtOnce: ReadonlySet<number>;
  at: Date;
}

export interface DecisionWritten {
  made: MadeBuild[];
  /** Row ids of older builds that were ended, or asked to stop, because newer ones take their place. */
  interrupted: number[];
}

export interface MadeBuild extends BuildRef {
  id: number;
  /** The manual request that it answers. */
  request?: number;
}

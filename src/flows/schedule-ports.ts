import type { Decision } from '#domain/scheduling/decision.ts';
import type { Facts, Need, PassPage, UsedPage } from '#domain/scheduling/facts.ts';
import type { Hold } from '#domain/scheduling/start-queued.ts';
import type { BuildRef } from './ports.ts';

/** Reads what a decision on jobs of one pipeline needs, all at one moment. */
export interface FactsTransaction {
  /** With the newest page, of so many rows, of everything that the gets of the jobs look back on. */
  facts(rows: number): Promise<GatheredFacts>;
  /** Older pages, of so many rows each, of the jobs in the facts. */
  older(needs: readonly Need[], rows: number): Promise<Pages>;
}

/** Alone with the pipeline: nothing of it is saved, decided or cancelled meanwhile. */
export interface PipelineTransaction extends FactsTransaction {
  /** Records the decision on the facts that were read, and that the requests seen with them are dealt with. */
  write(decision: Decision, more: WriteOptions): Promise<DecisionWritten>;
}

export interface GatheredFacts extends Omit<Facts, 'ids'> {
  ids: ReadonlyMap<number, number>;
  /** By job: what may hold its builds back. */
  holds: ReadonlyMap<number, Hold>;
  /** Other jobs of the pipeline may wait for a decision too. */
  more: boolean;
}

export interface Pages {
  passes: PassPage[];
  used: UsedPage[];
  /** As in the facts. */
  ids: ReadonlyMap<number, number>;
}

export interface WriteOptions {
  /** Jobs whose builds need no turn. */
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

import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { Renames } from '#domain/scheduling/definition-difference.ts';
import type { DefinitionRows } from '#domain/scheduling/definition-rows.ts';
import type { CronNext } from '#domain/scheduling/next-check.ts';
import type { PinTransaction } from '#flows/builds/action-ports.ts';
import type { PipelineToSave, SavedPipeline } from './ports.ts';

export interface SaveStore {
  /**
   * One transaction of the leader, alone with the pipeline. `work` may run again after a conflict: it acts
   * through `tx` only. Rejects for an object whose pipeline has another name and object now.
   */
  withPipelineToSave<T>(pipeline: PipelineToSave, work: (tx: SaveTransaction) => Promise<T>): Promise<T>;
  /** No request: what a calendar says. */
  cronNext: CronNext;
}

/** The pipeline as it was when its lock was taken. */
export interface PipelineBefore {
  id: number;
  /** 0: none. */
  revision: number;
  /** It has not been removed. */
  live: boolean;
  paused: boolean;
  /** Of the revision. */
  digest?: string;
  definition?: Pipeline;
  /** The database's clock. */
  now: Date;
}

export interface SaveTransaction {
  before: PipelineBefore;
  /** Records the text and definition as the next revision. */
  saveRevision(): Promise<void>;
  /**
   * Holds back whoever records versions, and gives jobs and resources the names that the definition says they
   * have now.
   */
  carryNames(revision: number): Promise<Renames>;
  /**
   * Jobs and resources that went are kept with their history and found again by name. New jobs get their
   * baseline, new resources their webhook token, and a resource the history of its key.
   */
  saveDefinition(rows: DefinitionRows, revision: number): Promise<HistoriesSwitched>;
  /** Namespace, display name, who may read, whether it is paused. */
  saveSettings(): Promise<void>;
  /** Resources that the manifest pins, or pinned before, otherwise than it says now. */
  changedPins(pins: NonNullable<PipelineToSave['pins']>): Promise<ChangedPin[]>;
  pins: PinTransaction;
  /** Those of the definition. */
  resources(): Promise<SavedPipeline['resources']>;
}

export interface ChangedPin {
  /** Row id. */
  resource: number;
  /** Fields of the version; absent: the manifest names the resource no longer. */
  wanted?: Record<string, string>;
  /** Row id; absent: none that is known has these fields. */
  version?: number;
}

export interface HistoriesSwitched {
  /** What changed, a few words for each. */
  changes: string[];
  /** Builds that ended before they started. */
  stopped: number[];
}

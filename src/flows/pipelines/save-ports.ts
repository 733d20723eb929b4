import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { NewNames } from '#domain/scheduling/definition-difference.ts';
import type { DefinitionRows } from '#domain/scheduling/definition-rows.ts';
import type { CronNext } from '#domain/scheduling/next-check.ts';
import type { PinTransaction } from '#flows/builds/action-ports.ts';
import type { PipelineToSave, SavedPipeline } from './ports.ts';

export interface SaveStore {
  /**
   * One transaction with the pipeline's lock, refused if the leader epoch is over. `work` may run again after
   * a conflict, so `work` acts through `tx` only. Rejects if a rename gave the pipeline of this object to
   * another object.
   */
  withPipelineToSave<T>(pipeline: PipelineToSave, work: (tx: SaveTransaction) => Promise<T>): Promise<T>;
  /** Evaluates cron expressions in this process. */
  cronNext: CronNext;
}

/** The pipeline when its lock was taken. */
export interface PipelineBefore {
  id: number;
  /** 0: the pipeline has no revision. */
  revision: number;
  /** The pipeline exists and was not removed. */
  live: boolean;
  paused: boolean;
  /**
   * How many live pipelines the team has; absent if this pipeline is live itself. No other transaction adds a
   * pipeline to the team until this transaction ends.
   */
  others?: number;
  /** Digest of the revision: of everything that its definition depends on. */
  digest?: string;
  definition?: Pipeline;
  /** The database's clock. */
  now: Date;
}

export interface SaveTransaction {
  before: PipelineBefore;
  /** Saves nothing, and deletes the row of a pipeline that never had a revision. */
  discard(): Promise<void>;
  /** Records the text and definition as the next revision. */
  saveRevision(): Promise<void>;
  /**
   * Applies `old_name`: jobs and resources keep their history under their new names. Until the transaction
   * ends, no version is recorded.
   */
  applyRenames(revision: number): Promise<NewNames>;
  /**
   * Saves jobs and resources. If the definition has the name of a job or resource that was removed earlier,
   * the history of that job or resource continues. New jobs get a baseline, new resources a webhook token and
   * the history of their check scope.
   */
  saveDefinition(rows: DefinitionRows, revision: number): Promise<HistoriesSwitched>;
  /** Saves namespace, display name, visibility, and whether the pipeline is paused. */
  saveSettings(): Promise<void>;
  /** Resources whose pins by the manifest differ from those saved. */
  changedPins(pins: NonNullable<PipelineToSave['pins']>): Promise<ChangedPin[]>;
  pins: PinTransaction;
  /** Resources of the definition. */
  resources(): Promise<SavedPipeline['resources']>;
}

export interface ChangedPin {
  /** Row id. */
  resource: number;
  /** Fields of the pinned version; absent: the manifest no longer pins the resource. */
  wanted?: Record<string, string>;
  /** Row id of the pinned version; absent: no known version has these fields. */
  version?: number;
}

export interface HistoriesSwitched {
  /** A few words for each change. */
  changes: string[];
  /** Row ids of builds that ended before they started. */
  stopped: number[];
}

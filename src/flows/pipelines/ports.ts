import type { ResolvedSources } from '#domain/pipeline/compile-context.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { DefinitionDifference } from '#domain/scheduling/definition-difference.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { PipelineName } from '#flows/names.ts';
import type { DueCheckTimer } from '#flows/views/show-check.ts';
import type { RenameStore } from './rename-ports.ts';
import type { SaveStore } from './save-ports.ts';

export interface PipelineToSave extends PipelineName {
  /** How many pipelines the team may have; absent: no limit. */
  limit?: number;
  namespace: string;
  uid: string;
  displayName?: string;
  /** Absent: unchanged; a new pipeline is private. */
  public?: boolean;
  /** Present: set by the manifest, and the API cannot change it. */
  paused?: boolean;
  /** The fields that identify the version. Present: the manifest pins these resources. */
  pins?: { resource: string; version: Record<string, string> }[];
  config: string;
  /** SHA-256 of everything that the definition depends on. An equal digest creates no new revision. */
  digest: string;
  definition: Pipeline;
  actor: string;
}

export interface SavedPipeline {
  id: number;
  revision: number;
  /** False: the digest is unchanged, and nothing was written. */
  changed: boolean;
  resources: { id: number; scope: number; name: string }[];
  difference: DefinitionDifference & {
    /** Resources that have another history now, with what changed. */
    histories: string[];
  };
  /**
   * Row ids of builds that ended before they started, because pins of the manifest or sources of resources
   * changed.
   */
  repinned?: { stopped: number[] };
}

/** What was fetched from the sources of a pipeline. */
export interface CachedSources {
  /** Identifies the text, the variables and the request that they were fetched for. */
  key: string;
  sources: ResolvedSources;
}

/** What `status` of a Pipeline shows; bounded. */
export interface PipelineFacts {
  id: number;
  revision: number;
  paused: boolean;
  jobs: {
    name: string;
    paused: boolean;
    lastBuild?: { number: string; status: BuildStatus; endedAt?: Date };
  }[];
  resources: {
    name: string;
    versions: number;
    lastCheckedAt?: Date;
    nextCheckAt?: Date;
    checkError?: string;
    /** Number of versions that the last check omitted although they may be new. */
    omitted?: number;
    /** The failure of the hooks of its newest versions. */
    hooksError?: string;
    stalled: boolean;
  }[];
  /** Too many builds wait to start, so new versions create none. */
  queueFull?: boolean;
  /** Jobs without a build and builds that do not start, with their first reason; absent: not read. */
  waiting?: WaitReason[];
}

export interface StoredFacts extends Omit<PipelineFacts, 'queueFull' | 'waiting' | 'resources'> {
  /** Builds that have not started. */
  queued: number;
  resources: (Omit<PipelineFacts['resources'][number], 'stalled'> & DueCheckTimer)[];
}

export interface WaitReason {
  job: string;
  /** Absent: the job has no build. */
  number?: string;
  reason: Reason;
}

export interface PipelineStore extends RenameStore, SaveStore {
  /**
   * Stops everything of the pipeline. History, ids and webhook tokens stay for a new pipeline of that name.
   * Returns the row ids of running builds that were asked to stop. With `uid`, stops only the pipeline of
   * that object.
   */
  removePipeline(name: PipelineName & { uid?: string }): Promise<{ runningBuilds: number[] }>;
  /** Bounded, as `PipelineFacts` are. */
  storedFacts(name: PipelineName): Promise<StoredFacts | undefined>;
  definition(name: PipelineName): Promise<{ id: number; revision: number; pipeline: Pipeline } | undefined>;
  /** Pipelines of the team that were not removed. */
  countPipelines(team: string): Promise<number>;
  cachedSources(name: PipelineName): Promise<CachedSources | undefined>;
  /** Replaces the sources that were cached before. */
  cacheSources(name: PipelineName, sources: CachedSources): Promise<void>;
  /** Pipelines that were not removed. */
  livePipelines(): Promise<(PipelineName & { namespace: string; uid: string })[]>;
}

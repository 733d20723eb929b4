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
  /** Present: the manifest pins these resources, each at the version with these fields. */
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
  /**
   * False: the digest is unchanged and the pipeline was not removed, so only settings and pins were saved.
   */
  changed: boolean;
  resources: { id: number; scope: number; name: string }[];
  difference: DefinitionDifference & {
    /** A few words for each resource that switched to another history, with the reason. */
    histories: string[];
  };
  /**
   * Present if pins of the manifest changed, or if builds ended before they started, because a pin changed or
   * a resource switched to another history. `stopped`: row ids of these builds.
   */
  schedulingChange?: { stopped: number[] };
}

/** The sources of a pipeline that were fetched. */
export interface CachedSources {
  /** Digest of the text, the variables and `requestedAt` for which the sources were fetched. */
  key: string;
  sources: ResolvedSources;
}

/** What `status` of a Pipeline shows, limited in size. */
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
    /** Number of versions, counted up to 10,000. */
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
  /** Too many builds wait to start, so new versions create no builds. */
  queueFull?: boolean;
  /**
   * The first reason of each job without a build and of each build that does not start. Absent: the reasons
   * were not read.
   */
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
   * Cancels the builds of the pipeline, ends its hooks, and marks it as removed, so that no further check
   * starts. History, ids and webhook tokens stay for a new pipeline of that name. Returns the row ids of the
   * builds that have not ended yet. With `uid`, does nothing unless the pipeline belongs to that object.
   */
  removePipeline(name: PipelineName & { uid?: string }): Promise<{ runningBuilds: number[] }>;
  /** Limited in size, as `PipelineFacts` are. */
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

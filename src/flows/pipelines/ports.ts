import type { BuildStatus } from '#domain/build/events.ts';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { ResolvedSources } from '#domain/pipeline/surroundings.ts';
import type { DefinitionDifference } from '#domain/scheduling/definition-difference.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { PipelineName } from '#flows/names.ts';
import type { DueCheckTimer } from '#flows/views/show-check.ts';
import type { RenameStore } from './rename-ports.ts';
import type { SaveStore } from './save-ports.ts';

export interface PipelineToSave extends PipelineName {
  namespace: string;
  uid: string;
  displayName?: string;
  /** Absent: as it was, private at first. */
  public?: boolean;
  /** Present in the manifest: it wins over the API. */
  paused?: boolean;
  /** The fields that tell the version. Likewise, for the resources that it names. */
  pins?: { resource: string; version: Record<string, string> }[];
  config: string;
  /** SHA-256 of everything the definition was made from; equal digest: no new revision. */
  digest: string;
  definition: Pipeline;
  actor: string;
}

export interface SavedPipeline {
  id: number;
  revision: number;
  /** False: digest as before; nothing was written. */
  changed: boolean;
  resources: { id: number; scope: number; name: string }[];
  difference: DefinitionDifference & {
    /** Resources that have another history now, with what changed. */
    histories: string[];
  };
  /**
   * Pins of the manifest or the source of a resource changed, which ended these builds (row ids) before they
   * started.
   */
  repinned?: { stopped: number[] };
}

/** What was found under the sources of a pipeline. */
export interface CachedSources {
  /** Of the text, the variables and the request that they were fetched for. */
  key: string;
  sources: ResolvedSources;
}

/** What `status` of a Pipeline mirrors; bounded. */
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
    /** Versions that the last check left out, though they may be new. */
    cut?: number;
    /** What went wrong with the hooks of its newest versions. */
    hooksError?: string;
    stalled: boolean;
  }[];
  /** So many builds have not started that new versions make none. */
  queueFull?: boolean;
  /** Jobs without a build and builds that do not start, each with its first reason; absent: not asked. */
  waiting?: WaitReason[];
}

export interface StoredFacts extends Omit<PipelineFacts, 'queueFull' | 'waiting' | 'resources'> {
  /** Builds that have not started. */
  queued: number;
  resources: (Omit<PipelineFacts['resources'][number], 'stalled'> & DueCheckTimer)[];
}

export interface WaitReason {
  job: string;
  /** Absent: it is the job that gets no build. */
  number?: string;
  reason: Reason;
}

export interface PipelineStore extends RenameStore, SaveStore {
  /**
   * Stops everything of the pipeline; history, ids and webhook tokens stay for the next one of that name.
   * Answers the row ids of the builds that were asked to stop and have not ended.
   */
  removePipeline(name: PipelineName): Promise<{ runningBuilds: number[] }>;
  /** Bounded, as `PipelineFacts` are. */
  storedFacts(name: PipelineName): Promise<StoredFacts | undefined>;
  definition(name: PipelineName): Promise<{ id: number; revision: number; pipeline: Pipeline } | undefined>;
  /** Those of the team that have not been removed. */
  countPipelines(team: string): Promise<number>;
  keptSources(name: PipelineName): Promise<CachedSources | undefined>;
  /** In place of those kept before. */
  keepSources(name: PipelineName, kept: CachedSources): Promise<void>;
  /** Those that have not been removed, for the comparison with objects. */
  livePipelines(): Promise<(PipelineName & { namespace: string })[]>;
}

import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import type { StoredCache } from '#domain/planning/list-cache-volumes.ts';
import type { PipelineName, ResourceName } from '#flows/names.ts';
import type { AuditedAct } from '#flows/people/ports.ts';

/* Caches of resources and jobs: what people see of them, and what the operator removes. */

interface CacheFactsOfPipeline {
  definition: Pipeline;
  stored: StoredCache[];
}

export interface PipelineCaches {
  /** Undefined: no such pipeline. */
  cachesOf(name: PipelineName): Promise<CacheFactsOfPipeline | undefined>;
  /**
   * Gives the cache a new, empty volume at its next use. Writes the audit entry too. False: there is no such
   * cache, or it was not used since it was last cleared.
   */
  clearCache(name: ResourceName, act: AuditedAct): Promise<boolean>;
}

/** A cache of a pipeline that is not deleted. */
export interface KnownCache {
  cache: number;
  generation: number;
  /** Name of the resource, or `<job>:<cache>` for a cache of a job. */
  resource: string;
  pipelineId: number;
  namespace: string;
  pipeline: string;
  /** The current definition has the cache. */
  wanted: boolean;
  /** A build or check that has not ended mounts it. */
  used: boolean;
}

export interface RemovableCaches {
  knownCaches(): Promise<KnownCache[]>;
  /** Skips caches that a build or check has begun to use. */
  removeCaches(caches: readonly number[]): Promise<void>;
}

/** The PersistentVolumeClaim of a cache, as the API server reports it. */
export interface FoundClaim {
  namespace: string;
  name: string;
  uid: string;
}

export interface CacheClaims {
  /** Name of the claim for the volume of a cache. Undefined: its Pipeline does not exist. */
  nameOf(cache: KnownCache): string | undefined;
  /** All claims for volumes of caches in the namespaces of teams, except those that are being deleted. */
  found(): Promise<FoundClaim[]>;
  delete(claim: FoundClaim): Promise<void>;
}

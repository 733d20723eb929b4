import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { cachesOfJob, hasCache, jobCacheName } from './cache-volumes.ts';
import { resourceTypeIn } from './find-in-pipeline.ts';

/** What is stored about the cache of one resource. */
export interface StoredCache {
  resource: string;
  bytes?: number;
  usedAt?: Date;
  usedBy?: { job: string; number: string } | 'check';
  /**
   * Why the last build or check that needed the cache ran without it. Absent: that build or check mounted the
   * cache.
   */
  leftOut?: string;
}

/**
 * The caches of a pipeline's resources, then those of its jobs, each in the order of the text, and what is
 * stored about each.
 */
export function listCaches(pipeline: Pipeline, stored: readonly StoredCache[]): StoredCache[] {
  const ofJobs = pipeline.jobs.flatMap(({ name, steps }) =>
    cachesOfJob(steps).map((cache) => jobCacheName(name, cache)),
  );
  return [...cachedResources(pipeline), ...ofJobs].map(
    (resource) => stored.find((cache) => cache.resource === resource) ?? { resource, leftOut: NEVER_USED },
  );
}

const NEVER_USED = 'No build or check has used it. It needs spec.cache in the Team.';

/** Resources whose commands can use their cache: those whose types run a command that sees the cache. */
function cachedResources(pipeline: Pipeline): string[] {
  return pipeline.resources
    .map(({ name }) => name)
    .filter((name) => {
      if (!hasCache(pipeline, name)) return false;
      const { builtIn, check, pull, push } = resourceTypeIn(pipeline, name);
      return pull !== undefined || push !== undefined || (check !== undefined && !builtIn);
    });
}

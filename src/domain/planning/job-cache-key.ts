import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { jobCacheName } from './cache-volumes.ts';

/**
 * The key of a job's cache, as written in the pipeline: its variables are not expanded. Undefined: the cache
 * belongs to a resource.
 */
export function keyOfJobCache({ jobs }: Pipeline, cache: string): string | undefined {
  const steps = jobs.flatMap((job) =>
    job.steps.flatMap((step) =>
      step.kind === 'task' && step.cache !== undefined && jobCacheName(job.name, step.cache) === cache
        ? [step]
        : [],
    ),
  );
  return steps[0]?.env?.['cache_key'];
}

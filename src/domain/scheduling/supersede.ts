import type { JobFacts, QueuedBuild } from './facts.ts';

/**
 * Queued automatic builds that end when a newer set of the job gets a build. An interruptible job cancels all
 * its builds anyway.
 */
export function supersededBy({ supersede, interruptible, queued = [] }: JobFacts): QueuedBuild[] {
  return supersede === false || interruptible === true ? [] : queued;
}

/**
 * Whether the newest set gets its build now, with as many automatic builds of the job besides: in the place
 * of a queued one, or while fewer automatic builds have not ended than may.
 */
export function mayBuildNewest(job: JobFacts, besides: number): boolean {
  if (job.interruptible === true || supersededBy(job).length > 0) return true;
  return openBuilds(job).length + besides < (job.concurrency ?? 1);
}

/** Automatic builds that a new one has to wait for. */
export function openBuilds({ active = [], queued = [] }: JobFacts): QueuedBuild[] {
  return [...active, ...queued].toSorted((a, b) => a.id - b.id);
}

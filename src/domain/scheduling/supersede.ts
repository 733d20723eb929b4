import type { JobFacts, QueuedBuild } from './facts.ts';

/**
 * Queued automatic builds that end when the newest set gets a build. None if the job has `supersede = false`,
 * or is interruptible: then a new build cancels older ones anyway.
 */
export function supersededBy({ supersede, interruptible, queued = [] }: JobFacts): QueuedBuild[] {
  return supersede === false || interruptible === true ? [] : queued;
}

/**
 * Whether the newest set gets a build now: always in an interruptible job, in place of a queued build, or
 * while fewer automatic builds than the job's concurrency are open. `others`: number of other automatic
 * builds that this decision creates for the job.
 */
export function mayBuildNewest(job: JobFacts, others: number): boolean {
  if (job.interruptible === true || supersededBy(job).length > 0) return true;
  return openAutomaticBuilds(job).length + others < (job.concurrency ?? 1);
}

/** Automatic builds of the job that have not ended, as far as the facts list them, oldest first. */
export function openAutomaticBuilds({ active = [], queued = [] }: JobFacts): QueuedBuild[] {
  return [...active, ...queued].toSorted((a, b) => a.id - b.id);
}

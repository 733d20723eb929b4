import type { JobFacts, QueuedBuild } from './facts.ts';

/**
 * Queued automatic builds that end when a newer set of the job gets a build. None in an interruptible job,
 * which cancels its older builds anyway.
 */
export function supersededBy({ supersede, interruptible, queued = [] }: JobFacts): QueuedBuild[] {
  return supersede === false || interruptible === true ? [] : queued;
}

/**
 * Whether the newest set gets a build now: in place of a queued one, or while fewer automatic builds than the
 * job's concurrency are open. `others`: number of builds that the same decision creates.
 */
export function mayBuildNewest(job: JobFacts, others: number): boolean {
  if (job.interruptible === true || supersededBy(job).length > 0) return true;
  return openAutomaticBuilds(job).length + others < (job.concurrency ?? 1);
}

/** Automatic builds of the job that have not ended, oldest first. */
export function openAutomaticBuilds({ active = [], queued = [] }: JobFacts): QueuedBuild[] {
  return [...active, ...queued].toSorted((a, b) => a.id - b.id);
}

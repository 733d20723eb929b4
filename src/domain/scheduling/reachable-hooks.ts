import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf, type HookAction } from '#domain/pipeline/steps.ts';
import { reachableJobs } from './reachable-jobs.ts';

/** How long automatic builds wait at most for the `on_trigger` hooks of a new version. */
export const MAX_HOOK_WAIT_SECONDS = 30;

export interface ReachableHook {
  job: string;
  action: HookAction;
}

/**
 * The `on_trigger` hooks that run for a new version of a resource: those of every job it could reach, nearest
 * job first.
 */
export function reachableHooks(pipeline: Pipeline, resource: string): ReachableHook[] {
  if (pipeline.jobs.every(({ onTrigger = [] }) => onTrigger.length === 0)) return [];
  const jobsWithGets = pipeline.jobs.map(({ name, steps }) => ({ name, gets: getsOf(steps) }));
  const jobs = new Map(pipeline.jobs.map((job) => [job.name, job]));
  return reachableJobs(jobsWithGets, resource).flatMap((job) =>
    (jobs.get(job)?.onTrigger ?? []).map((action) => ({ job, action })),
  );
}

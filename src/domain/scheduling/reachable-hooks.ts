import type { HookAction, Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';
import { reachableJobs } from './reachable-jobs.ts';

/** Builds wait for the hooks of a new version no longer than that. */
export const HOLD_SECONDS = 30;

export interface ReachableHook {
  job: string;
  action: HookAction;
}

/**
 * The `on_trigger` hooks that a new version of a resource fires: of every job that it may come to, nearest
 * first.
 */
export function reachableHooks(pipeline: Pipeline, resource: string): ReachableHook[] {
  if (pipeline.jobs.every(({ onTrigger = [] }) => onTrigger.length === 0)) return [];
  const walked = pipeline.jobs.map(({ name, steps }) => ({ name, gets: getsOf(steps) }));
  const jobs = new Map(pipeline.jobs.map((job) => [job.name, job]));
  return reachableJobs(walked, resource).flatMap((job) =>
    (jobs.get(job)?.onTrigger ?? []).map((action) => ({ job, action })),
  );
}

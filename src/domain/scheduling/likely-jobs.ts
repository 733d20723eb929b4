import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { getsOf } from '#domain/pipeline/steps.ts';

/** A job that was built recently or is running now. */
export interface ActiveJob {
  pipelineId: number;
  job: string;
  /** The newest revision. */
  definition: Pipeline;
  lastBuildAt: Date;
  isRunning: boolean;
}

export interface LikelyJob<Active extends ActiveJob> {
  job: string;
  /** The active job of the same pipeline that makes a build likely: an upstream job, or the job itself. */
  activeJob: Active;
}

/**
 * The jobs that are likely to be built next, the likeliest first: those that a running build may trigger,
 * then those that were built last.
 */
export function jobsLikelyNext<Active extends ActiveJob>(active: readonly Active[]): LikelyJob<Active>[] {
  const newest = active.toSorted((a, b) => b.lastBuildAt.getTime() - a.lastBuildAt.getTime());
  const downstream = newest
    .filter(({ isRunning }) => isRunning)
    .flatMap((upstream) => jobsAfter(upstream).map((job) => ({ job, activeJob: upstream })));
  const builtBefore = newest
    .filter(({ definition, job }) => definition.jobs.some(({ name }) => name === job))
    .map((activeJob) => ({ job: activeJob.job, activeJob }));
  const byKey = new Map<string, LikelyJob<Active>>();
  for (const likely of [...downstream, ...builtBefore]) {
    const key = `${likely.activeJob.pipelineId} ${likely.job}`;
    if (!byKey.has(key)) byKey.set(key, likely);
  }
  return [...byKey.values()];
}

/** The jobs that a good build of this job may trigger. */
function jobsAfter({ definition, job }: ActiveJob): string[] {
  return definition.jobs
    .filter(({ steps }) => getsOf(steps).some(({ trigger, passed }) => trigger && passed.includes(job)))
    .map(({ name }) => name);
}

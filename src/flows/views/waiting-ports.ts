import type { WaitingBuild } from '#domain/scheduling/why-build-waits.ts';
import type { FactsTransaction } from '#flows/builds/schedule-ports.ts';
import type { PipelineName } from '#flows/names.ts';

/**
 * All jobs of a pipeline. With `job`, only this one; with `first`, only so many from the start of the
 * definition.
 */
export type ExplainedJobs = PipelineName & { job?: string; first?: number };

/** Reads why jobs have no build and builds do not start. */
export interface WaitingStore {
  /** Jobs in the order of the definition; undefined: no such pipeline or job. */
  jobsToExplain(jobs: ExplainedJobs): Promise<JobToExplain[] | undefined>;
  /**
   * Reads facts of these jobs (row ids) for an explanation. The facts tell whether there are unused versions,
   * but not how many.
   */
  withFacts<T>(jobs: readonly number[], work: (tx: FactsTransaction) => Promise<T>): Promise<T>;
  /** The newest builds of the jobs that have not started, at most a thousand. */
  unstartedBuilds(jobs: readonly number[]): Promise<BuildToExplain[]>;
}

export interface JobToExplain {
  id: number;
  name: string;
}

export interface BuildToExplain extends WaitingBuild {
  job: string;
  number: string;
}

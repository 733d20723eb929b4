import type { WaitingBuild } from '#domain/scheduling/why-build-waits.ts';
import type { FactsTransaction } from '#flows/builds/schedule-ports.ts';
import type { PipelineName } from '#flows/names.ts';

/** Reads why jobs have no build and builds do not start. */
export interface WaitingStore {
  /** All jobs in the order of the definition, or the named one; undefined: no such pipeline or job. */
  jobsToExplain(name: PipelineName & { job?: string }): Promise<JobToExplain[] | undefined>;
  /** Facts of these jobs (row ids). They say whether there are unused versions, but not which. */
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

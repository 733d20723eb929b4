import type { WaitingBuild } from '#domain/scheduling/why-build-waits.ts';
import type { PipelineName } from './ports.ts';
import type { FactsTransaction } from './schedule-ports.ts';

/** Why jobs get no build and builds do not start; nothing of it is written. */
export interface WaitingStore {
  /** Of the pipeline, or the one that is named, in the order of the definition; undefined: there is none of that name. */
  jobsToExplain(name: PipelineName & { job?: string }): Promise<JobToExplain[] | undefined>;
  /** Facts of these jobs, by row id, with no more versions that were never used than show that there is one. */
  withFacts<T>(jobs: readonly number[], work: (tx: FactsTransaction) => Promise<T>): Promise<T>;
  /** The newest that have not started; older ones wait behind them for the same reasons or their own. */
  unstartedBuilds(jobs: readonly number[]): Promise<UnstartedBuild[]>;
}

export interface JobToExplain {
  id: number;
  name: string;
}

export interface UnstartedBuild extends WaitingBuild {
  job: string;
  number: string;
}

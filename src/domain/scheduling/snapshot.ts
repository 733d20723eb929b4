import type { GetStep } from '#domain/pipeline/pipeline.ts';

/**
 * Facts from which one scheduling decision is made: bounded, gathered in one transaction under the pipeline's lock. Versions carry
 * their row id; a larger id is newer.
 */
export interface Snapshot {
  jobs: JobFacts[];
}

export interface JobFacts {
  id: number;
  name: string;
  paused: boolean;
  gets: GetStep[];
  /** Versions with an id up to this one existed before the job did: they never trigger it (decisions §7). */
  baseline: number;
  /** A pending or running build of the job exists. */
  active: boolean;
  inputs: InputFacts[];
  /** Manual requests that no build answers yet, oldest first. */
  requests: { id: number; by: string }[];
}

/** What is known of one `get` of the job; `inputs[i]` belongs to `gets[i]`. */
export interface InputFacts {
  /** Newest version of the resource, whatever `passed` says. */
  latest?: number;
  /** Ungated: versions newer than the last one this job triggered on (or the baseline), oldest first, at most 100. */
  unused: number[];
  /** Gated: per upstream job, versions of the resource in its good builds, newest first, at most 100. */
  good: { job: string; versions: number[] }[];
  /** Newest version that any build of this job used for this input. */
  lastUsed?: number;
}

/** A build to create, with the version of each get (by position) and why. */
export interface BuildDecision {
  job: number;
  versions: number[];
  cause: BuildCause;
}

export type BuildCause =
  | { kind: 'version'; version: number }
  | { kind: 'passed'; version: number }
  | { kind: 'manual'; request: number; by: string };

/** Why a job gets no build now: a stable code and a sentence. */
export interface Waiting {
  job: number;
  code: WaitingCode;
  message: string;
}

export type WaitingCode = 'JobPaused' | 'NoVersion' | 'NothingPassed' | 'NothingNew' | 'BuildActive';

export interface Decision {
  builds: BuildDecision[];
  waiting: Waiting[];
  /** Manual requests that cannot be answered; each with the reason of every input that lacks a version. */
  refused: { request: number; reasons: Waiting[] }[];
}

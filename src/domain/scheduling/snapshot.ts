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
  /** The job or its pipeline is paused. */
  paused: boolean;
  gets: GetStep[];
  /** A pending or running build of the job exists. */
  active: boolean;
  /** `inputs[i]` belongs to `gets[i]`. */
  inputs: InputFacts[];
  /** Manual requests that no build answers yet, oldest first. */
  requests: { id: number; by: string }[];
}

/** What is known of one `get` of the job. */
export interface InputFacts {
  /** Newest version of the resource, whatever `passed` says. */
  latest?: number;
  /**
   * Versions up to this id trigger nothing: they were there before the get became a trigger, came while the job was paused, or
   * were dealt with by an earlier decision (decisions §7).
   */
  dealtWith: number;
  /** Ungated triggers: the oldest versions newer than `dealtWith`; one more than `MOST_UNUSED` tells that there are more. */
  unused: number[];
  /** Gated: per upstream job, versions of the resource in its good builds, newest first, at most `MOST_GOOD`. */
  good: { job: string; versions: number[] }[];
  /** Newest version that any build of this job used for this input. */
  lastUsed?: number;
}

/** As many new versions of one get are turned into builds by one decision; the next one takes the rest. */
export const MOST_UNUSED = 100;
export const MOST_GOOD = 100;

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

type WaitingCode = 'JobPaused' | 'NoVersion' | 'NothingPassed' | 'NothingNew' | 'BuildActive';

export interface Decision {
  builds: BuildDecision[];
  waiting: Waiting[];
  /** Manual requests that cannot be answered; each with the reason of every input that lacks a version. */
  refused: { request: number; reasons: Waiting[] }[];
  /** Ungated triggers whose versions up to this one now have their build: they trigger no more. */
  dealtWith: { job: number; get: number; version: number }[];
  /** Jobs with more unused versions than one decision takes: decide again at once. */
  unfinished: number[];
}

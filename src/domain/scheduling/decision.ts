import type { Need, RequestedCheck } from './facts.ts';
import type { Reason } from './reasons.ts';

export interface Decision {
  builds: BuildDecision[];
  /** Interruptible jobs that get a build: all their older builds that have not ended are cancelled. */
  interrupted: number[];
  /** Jobs that get no automatic build now, and why. */
  waiting: { job: number; reasons: Reason[] }[];
  /** Requests that cannot be granted, with the reason of every input that stands against it. */
  refused: { request: number; reasons: Reason[] }[];
  /**
   * By position of the get: no version up to this row id is unused. A mark that saves looking at them again;
   * whatever makes one of them unused after all sets it back (`settledBefore`).
   */
  settled: { job: number; get: number; version: number }[];
  /** Jobs with more to build than one decision takes: decide again at once. */
  unfinished: number[];
  /** Pages that the decision on these jobs is waiting for: nothing else is said about them yet. */
  needs: Need[];
}

/**
 * A build to make, with the version of each get (by position) and why; versions are places, as in the facts
 * (`inIds`).
 */
export interface BuildDecision {
  job: number;
  versions: number[];
  cause: BuildCause;
  /**
   * `superseded`: of an interruptible job, another build follows in the same decision; it is born cancelled.
   */
  state: 'pending' | 'waiting' | 'superseded';
  /**
   * Queued builds that end, superseded by this one; it takes the place of the first of them in the queue.
   * Absent: none.
   */
  supersedes?: number[];
}

export type BuildCause =
  /** A new version of a get that takes every one. */
  | { kind: 'version'; resource: number; version: number }
  /** The newest set that is ready; the version is the newest trigger of it that was never used. */
  | { kind: 'ready'; resource: number; version: number }
  | { kind: 'manual'; request: number; by: string; checks?: RequestedCheck[] };

/**
 * What one decision makes at most by itself, so that its transaction stays short whatever a pipeline looks
 * like. The next decision makes the rest. Requests of people are answered beyond it.
 */
export const MAX_BUILDS_PER_DECISION = 1000;
/** The inputs of these builds, all together. One build is always made. */
export const MAX_INPUTS_PER_DECISION = 20_000;

/** Nobody asked for the build. */
export function isAutomatic(kind: string): boolean {
  return kind === 'version' || kind === 'ready';
}

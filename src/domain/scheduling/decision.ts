import type { InputValues } from '#domain/pipeline/input-values.ts';
import type { NeededPage, RequestedCheck } from './facts.ts';
import type { Reason } from './reasons.ts';

/** What `decideBuilds` decides. */
export interface DecidedBuilds {
  builds: BuildDecision[];
  /** Jobs that get no automatic build now, and why. */
  waiting: { job: number; reasons: Reason[] }[];
  /** Requests that cannot be granted, with every reason. */
  refused: { request: number; reasons: Reason[] }[];
  /**
   * For a get (by position): versions up to this row id need no build any more, so the next decision skips
   * them. Whatever makes one of them unused again lowers the mark (`settledBefore`).
   */
  settled: { job: number; get: number; version: number }[];
  /** Jobs that may be due for more builds than this decision creates: decide again at once. */
  unfinished: number[];
  /**
   * Older pages of the history that some jobs need. Nothing is decided for such a job until the facts include
   * these pages.
   */
  needs: NeededPage[];
}

/** The decision as it is written to the database. */
export interface Decision extends DecidedBuilds {
  /** Row ids of builds that builds of this decision interrupt. `interruptOlder` finds them. */
  interrupted: number[];
}

/** A build to create. Versions are places, as in the facts; `withRowIds` translates them. */
export interface BuildDecision {
  job: number;
  /** One version for each get, in the order of the gets. */
  versions: number[];
  cause: BuildCause;
  /** The value of each input of the job. Absent: the job has no inputs. */
  inputs?: InputValues;
  /**
   * `waiting`: for the approval of its job. `superseded`: a later build of the same decision interrupts this
   * one, so this one is created as cancelled (`interruptOlder`).
   */
  state: 'pending' | 'waiting' | 'superseded';
  /** Queued builds that this one supersedes. This build takes the queue position of the first of them. */
  supersedes?: number[];
}

export type BuildCause =
  /** An unused version of a trigger that takes every version. */
  | { kind: 'version'; resource: number; version: number }
  /** The newest set of versions. The version is the newest of its trigger versions that no build used. */
  | { kind: 'ready'; resource: number; version: number }
  | { kind: 'manual'; request: number; by: string; checks?: RequestedCheck[] };

/**
 * Limit for the automatic builds of one decision, so that its transaction stays short for any pipeline. The
 * next decision creates the others. Builds that people request do not count.
 */
export const MAX_BUILDS_PER_DECISION = 1000;
/**
 * Limit for the versions that the automatic builds of one decision take in total. If a build is due, at least
 * one is created, however many versions it takes.
 */
export const MAX_VERSIONS_PER_DECISION = 20_000;

/** The causes of builds that no person requested. Older releases stored `passed`. */
export const AUTOMATIC_CAUSES: readonly string[] = ['version', 'ready', 'passed'];

/** Whether no person requested a build. `kind`: the kind of its cause. */
export function isAutomatic(kind: string): boolean {
  return AUTOMATIC_CAUSES.includes(kind);
}

import type { GivenInputs } from '#domain/pipeline/input-values.ts';
import type { CascadeGet } from '#domain/scheduling/cascade.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { BuildRef, JobName, ResourceName } from '#flows/names.ts';
import type { PipelineTransaction } from './schedule-ports.ts';

/* What manual triggers need from outside. */

export type TriggerAnswer =
  | { answer: 'created'; build: BuildRef; interrupted: number[]; checks?: RequestedCheck[] }
  | { answer: 'refused'; reasons: { code: string; message: string }[] }
  | { answer: 'unknown' };

/**
 * A trigger whose checks have not ended. Its request is durable: once the checks have ended or timed out, a
 * decision on the job answers it.
 */
export interface TriggerWaits {
  answer: 'checking';
  request: number;
  pipelineId: number;
}

/** A build that a person requests. */
export interface RequestedBuild {
  by: string;
  /** Values for inputs of the job. The decision on the build checks them. */
  inputs?: GivenInputs;
  at: Date;
}

/** Reads the facts of the requested job. */
export interface RequestTransaction extends PipelineTransaction {
  readonly request: number;
}

export interface WaitingTransaction extends RequestTransaction {
  readonly waits: TriggerWaits;
  /** The request has neither a build nor a refusal. */
  readonly open: boolean;
  /** The build, the refusal, or that the request still waits. */
  answer(): Promise<TriggerAnswer | TriggerWaits>;
}

/** Reads the facts of the requested jobs. */
export interface VersionTransaction extends PipelineTransaction {
  readonly pipelineId: number;
  /** The recorded requests: one for each job that gets the resource without `passed`. */
  readonly requests: readonly { job: number; request: number }[];
  /** All gets of the resource in the pipeline. */
  gets(): Promise<readonly CascadeGet[]>;
  /** Records requests of jobs that run after the builds of `requests`. */
  requestFollowing(jobs: readonly number[]): Promise<void>;
}

export interface TriggerStore {
  /**
   * Records a request for a build of the job and runs `work` in the same transaction. Undefined: no such job.
   */
  withRequest<T>(
    job: JobName,
    request: RequestedBuild,
    work: (tx: RequestTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * As `withRequest`, but also requests a check of each resource that the job gets without `passed`. The
   * request waits at most `waitMs` for those checks.
   */
  withRequestAfterChecks<T>(
    job: JobName,
    request: RequestedBuild & { waitMs: number },
    work: (tx: WaitingTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /** Ends the wait of a request for its checks and runs `work` in the same transaction. */
  withWaitEnded<T>(waits: TriggerWaits, work: (tx: WaitingTransaction) => Promise<T>): Promise<T>;
  /**
   * Records requests for builds with the version and runs `work` in the same transaction. Undefined: no such
   * version.
   */
  withVersionRequests<T>(
    resource: ResourceName,
    request: { version: number; by: string; at: Date },
    work: (tx: VersionTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /** The current answer to a trigger that waits. */
  triggerAnswer(waits: TriggerWaits): Promise<TriggerAnswer | TriggerWaits>;
  /** Requests a decision on jobs whose triggers have waited for checks long enough. */
  wakeLateTriggers(): Promise<void>;
}

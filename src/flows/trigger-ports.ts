import type { CascadeGet } from '#domain/scheduling/cascade.ts';
import type { RequestedCheck } from '#domain/scheduling/facts.ts';
import type { BuildRef, JobName, ResourceName } from './ports.ts';
import type { PipelineTransaction } from './schedule-ports.ts';

/* What people trigger. The rules of ports.ts hold here too. */

export type TriggerAnswer =
  | { answer: 'created'; build: BuildRef; interrupted: number[]; checks?: RequestedCheck[] }
  | { answer: 'refused'; reasons: { code: string; message: string }[] }
  | { answer: 'unknown' };

/** A trigger whose checks have not ended: durable, and answered by whoever decides on the job next. */
export interface TriggerWaits {
  answer: 'checking';
  request: number;
  pipelineId: number;
}

/** Its facts are those of the job that was requested. */
export interface RequestTransaction extends PipelineTransaction {
  readonly request: number;
}

export interface WaitingTransaction extends RequestTransaction {
  readonly waits: TriggerWaits;
  /** The request has neither a build nor a refusal yet. */
  readonly open: boolean;
  /** What became of the request. */
  answer(): Promise<TriggerAnswer | TriggerWaits>;
}

/** Its facts are those of the jobs that were requested. */
export interface VersionTransaction extends PipelineTransaction {
  readonly pipelineId: number;
  /** One for each job that gets the resource without `passed`. */
  readonly requests: readonly { job: number; request: number }[];
  /** All gets of the resource in the pipeline. */
  gets(): Promise<readonly CascadeGet[]>;
  /** Requests of jobs that wait for builds of the requests above. */
  requestFollowing(jobs: readonly number[]): Promise<void>;
}

/** `work` may run again after a conflict: it acts through its transaction only. Undefined: there is no such thing. */
export interface TriggerStore {
  /** Records a request for a build of the job, and runs `work` with it in one transaction. */
  withRequest<T>(
    job: JobName,
    asked: { by: string; at: Date },
    work: (tx: RequestTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Likewise, and requests a check of each resource that the job gets without `passed`. The request waits for their ends for at most so many
   * milliseconds.
   */
  withRequestAfterChecks<T>(
    job: JobName,
    asked: { by: string; waitMs: number; at: Date },
    work: (tx: WaitingTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /** Ends the wait of a request for its checks, and runs `work` with it in one transaction. */
  withWaitEnded<T>(waits: TriggerWaits, work: (tx: WaitingTransaction) => Promise<T>): Promise<T>;
  /** Records requests for builds with the version, and runs `work` with them in one transaction. */
  withVersionRequests<T>(
    resource: ResourceName,
    asked: { version: number; by: string; at: Date },
    work: (tx: VersionTransaction) => Promise<T>,
  ): Promise<T | undefined>;
  /** What became of a trigger that waited. */
  triggerAnswer(waits: TriggerWaits): Promise<TriggerAnswer | TriggerWaits>;
  /** Requests a decision on the jobs of which a trigger has waited long enough, whoever waited for its answer. */
  wakeLateTriggers(): Promise<void>;
}

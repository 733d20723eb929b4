import type { CountedGet } from '#domain/scheduling/baselines.ts';
import type { Status } from '#domain/scheduling/build-changes.ts';
import type { Taken } from '#domain/scheduling/facts.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { RetryFacts } from '#domain/scheduling/retry-build.ts';
import type { GatedBuild, Vote } from '#domain/scheduling/vote.ts';
import type { BuildRef, PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';

/*
 * What people decide about a pipeline and its builds. Each action is one transaction under the pipeline's
 * lock and safe to repeat: what already is as asked changes nothing. `by` is who asked; it is recorded with
 * what they changed.
 */

/** `unknown`: there is no such thing. `refused`: it is there, and these stand against it. */
export type ActionRefused = { answer: 'unknown' } | { answer: 'refused'; reasons: Reason[] };

export interface ActionDone {
  answer: 'done';
  pipelineId: number;
  /** Builds, by row id, that ended by this or were asked to stop. */
  stopped: number[];
}

export interface Pin {
  version: number;
  by: string;
  comment?: string;
}

export type VersionTriggered = ActionDone & {
  builds: BuildRef[];
  /** Jobs that take the resource and could not have a build. */
  refused: { job: string; reasons: Reason[] }[];
};

export type Voted = ActionDone & { state: 'waiting' | 'approved' | 'rejected'; message: string };
/** The generation that the token follows from. */
export type WebhookRegenerated = ActionDone & { resource: number; generation: number; signed: boolean };
export type Retried = ActionDone & { build: BuildRef };

export interface PauseTransaction {
  /** The manifest sets whether the pipeline is paused. */
  pausedByManifest(): Promise<boolean>;
  /** With each of its jobs. */
  pausePipeline(by: string): Promise<void>;
  /** With the jobs that are paused. */
  unpausePipeline(): Promise<void>;
  /** Row id of the job of this name. */
  job(name: string): Promise<number | undefined>;
  pauseJob(job: number, by: string): Promise<void>;
  unpauseJob(job: number): Promise<void>;
}

export interface UnstartedBuild {
  id: number;
  status: Status;
  automatic: boolean;
  inputs: Taken[];
}

export interface PinToWrite {
  resource: number;
  /** Absent: the manifest wants a version that no check has found yet. */
  version?: number;
  wanted?: Record<string, string>;
  by: string;
  comment?: string;
}

/** What holds of a get once its resource is no longer pinned. */
export type UnpinnedGet = Omit<CountedGet, 'baseline' | 'newest'> & {
  job: number;
  position: number;
  floor: number;
};

export interface PinTransaction {
  pin(pin: PinToWrite, at: Date): Promise<void>;
  unpin(resource: number): Promise<void>;
  /** Builds that took a version of the resource and have not started. */
  unstartedBuilds(resource: number): Promise<UnstartedBuild[]>;
  /**
   * They used nothing: what they took may trigger again. Answers those that had not started by now either.
   */
  endUnstarted(
    builds: readonly number[],
    why: { by: string | null; reason: string; at: Date },
  ): Promise<number[]>;
  getsOf(resource: number): Promise<UnpinnedGet[]>;
  saveFloors(floors: readonly { job: number; position: number; floor: number }[]): Promise<void>;
  /** Requests a decision on the jobs that get the resource. */
  requestDecision(resource: number): Promise<void>;
}

export interface LockedResource {
  id: number;
  pinned: boolean;
  /** The manifest pins it. */
  managed: boolean;
}

export interface ResourceTransaction extends PinTransaction {
  /** Undefined also when the version is not one of the resource. */
  resource(name: string, version?: number): Promise<LockedResource | undefined>;
  disableVersion(version: number, by: string): Promise<void>;
  /** It may trigger from now on, also builds of jobs that have gone past it. */
  enableVersion(version: number, resource: number): Promise<void>;
  /** The token before is valid no longer. `signed` stays as it was where it is not given. */
  nextWebhook(
    name: string,
    signed: boolean | undefined,
  ): Promise<{ resource: number; generation: number; signed: boolean } | undefined>;
  saveWebhookHash(resource: number, hash: string): Promise<void>;
}

export interface LockedBuild extends GatedBuild {
  id: number;
  job: number;
  attempt: number;
}

export interface BuildActionTransaction {
  /** Also of a job that the pipeline has no more. */
  build(ref: BuildRef): Promise<LockedBuild | undefined>;
  /** Ends a build that has not started; one that runs is asked to stop. */
  cancel(build: LockedBuild, why: { by: string; reason: string; at: Date }): Promise<void>;
  retryFacts(build: LockedBuild): Promise<Omit<RetryFacts, 'number'>>;
  /** Likewise for all builds of its job. Answers which. */
  cancelJob(build: LockedBuild, why: { reason: string; at: Date }): Promise<number[]>;
  /** A build with the inputs and the definition of the one that it repeats. */
  retry(build: LockedBuild, retry: RetryToWrite): Promise<void>;
  recordVote(build: LockedBuild, vote: Vote, at: Date): Promise<void>;
  /** It waits for its turn from now on. */
  approve(build: LockedBuild, at: Date): Promise<void>;
  /** It has failed, and nothing of it has run. */
  reject(build: LockedBuild, why: { message: string; at: Date }): Promise<void>;
  /** It counts as good from now on. */
  markWarning(build: LockedBuild, by: string): Promise<void>;
}

export interface RetryToWrite {
  number: string;
  of: string;
  state: 'pending' | 'waiting';
  by: string;
  at: Date;
}

/** Alone with a pipeline: nothing of it is saved, decided or ended meanwhile. */
export interface ActionTransaction extends PauseTransaction, ResourceTransaction, BuildActionTransaction {
  readonly pipelineId: number;
}

export interface ActionStore {
  /** `work` acts only through its transaction. */
  withPipeline<T>(
    name: PipelineName,
    work: (tx: ActionTransaction) => Promise<T>,
  ): Promise<T | { answer: 'unknown' }>;
}

export interface ActionPorts {
  actions: ActionStore;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

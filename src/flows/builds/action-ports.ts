import type { BaselineFacts } from '#domain/scheduling/baselines.ts';
import type { BuildStatus } from '#domain/scheduling/build-changes.ts';
import type { ResourceVersion } from '#domain/scheduling/facts.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { RetryFacts } from '#domain/scheduling/retry-build.ts';
import type { GatedBuild, Vote } from '#domain/scheduling/vote.ts';
import type { BuildRef, PipelineName } from '#flows/names.ts';
import type { Notifications } from '#flows/notification-ports.ts';

/*
 * Actions of people on a pipeline and its builds. Each action is one transaction under the pipeline's lock.
 * Numbers that are named after an object, such as `version` or `job`, are row ids. `by` is the person who
 * acts, recorded with the change.
 */

/**
 * `unknown`: there is no such pipeline, job, resource, version or build. `refused`: found, but the action is
 * not possible for these reasons.
 */
export type ActionRefused = { answer: 'unknown' } | { answer: 'refused'; reasons: Reason[] };

export interface ActionDone {
  answer: 'done';
  pipelineId: number;
  /** Row ids of builds that ended or were asked to stop. */
  stopped: number[];
}

export interface Pin {
  version: number;
  by: string;
  comment?: string;
}

export type VersionTriggered = ActionDone & {
  builds: BuildRef[];
  /** Jobs that get the resource but could not be triggered. */
  refused: { job: string; reasons: Reason[] }[];
};

export type Voted = ActionDone & { state: 'waiting' | 'approved' | 'rejected'; message: string };
/** The token of a webhook derives from `resource` and `generation`. `signed`: deliveries need a signature. */
export type WebhookRegenerated = ActionDone & { resource: number; generation: number; signed: boolean };
export type Retried = ActionDone & { build: BuildRef };

export interface PauseTransaction {
  /** True if the manifest sets `paused`, so people may not change it. */
  pausedByManifest(): Promise<boolean>;
  /** Pauses each job of the pipeline too. */
  pausePipeline(by: string): Promise<void>;
  /** Unpauses the paused jobs of the pipeline too. */
  unpausePipeline(): Promise<void>;
  /** Undefined: the pipeline has no job of this name. */
  job(name: string): Promise<number | undefined>;
  pauseJob(job: number, by: string): Promise<void>;
  unpauseJob(job: number): Promise<void>;
}

export interface UnstartedBuild {
  id: number;
  status: BuildStatus;
  automatic: boolean;
  inputs: ResourceVersion[];
}

export interface PinToWrite {
  resource: number;
  /** Absent: the manifest pins a version that no check has found yet. */
  version?: number;
  /** Fields of the version that the manifest pins. */
  wanted?: Record<string, string>;
  by: string;
  comment?: string;
}

/** What the floor of a get depends on once its resource is unpinned. */
export type UnpinnedGet = Omit<BaselineFacts, 'baseline' | 'newest'> & {
  job: number;
  /** Position of the get among the gets of the job. */
  position: number;
  floor: number;
};

export interface PinTransaction {
  pin(pin: PinToWrite, at: Date): Promise<void>;
  unpin(resource: number): Promise<void>;
  /** Builds that have a version of the resource as an input and have not started. */
  unstartedBuilds(resource: number): Promise<UnstartedBuild[]>;
  /**
   * Ends those of the builds that have not started. Returns the row ids of the ended builds, whose inputs do
   * not count as used.
   */
  endUnstarted(
    builds: readonly number[],
    why: { by: string | null; message: string; at: Date },
  ): Promise<number[]>;
  getsOf(resource: number): Promise<UnpinnedGet[]>;
  saveFloors(floors: readonly { job: number; position: number; floor: number }[]): Promise<void>;
  /** Requests a decision on the jobs that get the resource. */
  requestDecision(resource: number): Promise<void>;
}

export interface LockedResource {
  id: number;
  pinned: boolean;
  /** The manifest pins the resource, so people may not change the pin. */
  managed: boolean;
}

export interface ResourceTransaction extends PinTransaction {
  /** Undefined: the pipeline has no such resource, or the resource has no such version. */
  resource(name: string, version?: number): Promise<LockedResource | undefined>;
  disableVersion(version: number, by: string): Promise<void>;
  /** The version can trigger builds again, even of jobs that have built newer versions. */
  enableVersion(version: number, resource: number): Promise<void>;
  /**
   * Invalidates the current token of the webhook. If `signed` is undefined, that setting stays. Returns
   * undefined if the pipeline has no such resource.
   */
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
  /** Also finds builds of jobs that were removed from the pipeline. */
  build(ref: BuildRef): Promise<LockedBuild | undefined>;
  /** Ends a build that has not started; asks a running build to stop. */
  cancel(build: LockedBuild, why: { by: string; message: string; at: Date }): Promise<void>;
  /** Cancels the builds that have not ended, and returns their row ids. */
  cancelAll(builds: readonly number[], why: { message: string; at: Date }): Promise<number[]>;
  retryFacts(build: LockedBuild): Promise<Omit<RetryFacts, 'number'>>;
  /** Creates a build with the inputs and the revision of the original. */
  retry(build: LockedBuild, retry: RetryToWrite): Promise<void>;
  recordVote(build: LockedBuild, vote: Vote, at: Date): Promise<void>;
  /** Puts the build into the queue. */
  approve(build: LockedBuild, at: Date): Promise<void>;
  /** Fails the build, which has not run. */
  reject(build: LockedBuild, why: { message: string; at: Date }): Promise<void>;
  /** Turns the failure of the build into a warning, so that its versions count as good. */
  markWarning(build: LockedBuild, by: string): Promise<void>;
}

export interface RetryToWrite {
  number: string;
  /** Number of the build that is retried. */
  of: string;
  state: 'pending' | 'waiting';
  by: string;
  at: Date;
}

/**
 * An entry of the team's audit log. Flows of actions record only what a webhook does. The HTTP routes record
 * what people do.
 */
interface AuditedAction {
  actor: string;
  action: string;
  targetType: string;
  target: string;
  details: Record<string, string>;
  at: Date;
}

/**
 * Holds the pipeline's lock: until the transaction ends, no other one saves the pipeline, decides on builds,
 * or ends one.
 */
export interface ActionTransaction extends PauseTransaction, ResourceTransaction, BuildActionTransaction {
  readonly pipelineId: number;
  /** Stored if, and only if, the transaction commits. */
  recordAudit(action: AuditedAction): Promise<void>;
}

export interface ActionStore {
  /** `work` reads and writes only through its transaction. */
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

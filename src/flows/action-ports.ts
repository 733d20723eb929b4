import type { cancelBuild, markWarning } from '#domain/scheduling/build-changes.ts';
import type { Reason } from '#domain/scheduling/reasons.ts';
import type { retryBuild } from '#domain/scheduling/retry-build.ts';
import type { Vote, vote } from '#domain/scheduling/vote.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from './ports.ts';

/*
 * What people decide about a pipeline and its builds. Each method is one transaction under the pipeline's lock, and safe to repeat: what
 * already is as asked changes nothing. `by` is who asked; it is kept with what they changed.
 */

/** `unknown`: there is no such thing. `refused`: it is there, and these stand against it. */
export type Refused = { answer: 'unknown' } | { answer: 'refused'; reasons: Reason[] };

export interface Done {
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

export type VersionTriggered = Done & {
  builds: BuildRef[];
  /** Jobs that take the resource and could not have a build. */
  refused: { job: string; reasons: Reason[] }[];
};

export type Voted = Done & { state: 'waiting' | 'approved' | 'rejected'; message: string };
/** The generation that the token follows from. */
export type WebhookRegenerated = Done & { resource: number; generation: number; signed: boolean };
export type Retried = Done & { build: BuildRef };

export interface ActionStore {
  /** Pauses each of its jobs, or unpauses those that are paused. */
  pausePipeline(name: PipelineName, by: string): Promise<Done | Refused>;
  unpausePipeline(name: PipelineName): Promise<Done | Refused>;
  pauseJob(name: JobName, by: string): Promise<Done | Refused>;
  unpauseJob(name: JobName): Promise<Done | Refused>;
  /** Builds that have not started and took another version end. */
  pin(resource: ResourceName, pin: Pin, at: Date): Promise<Done | Refused>;
  unpin(resource: ResourceName): Promise<Done | Refused>;
  /** The token before is none from now on. `signed` stays as it was where it is not given. */
  regenerateWebhook(
    resource: ResourceName,
    change: { hashOf: (resource: number, generation: number) => string; signed?: boolean },
  ): Promise<WebhookRegenerated | Refused>;
  /** Automatic builds that have not started with it end. */
  disableVersion(
    resource: ResourceName,
    disabled: { version: number; by: string },
    at: Date,
  ): Promise<Done | Refused>;
  enableVersion(resource: ResourceName, version: number): Promise<Done | Refused>;
  cancelBuild(ref: BuildRef, by: string, decide: typeof cancelBuild, at: Date): Promise<Done | Refused>;
  /** With the inputs and the definition of the build that it repeats. */
  retryBuild(ref: BuildRef, by: string, decide: typeof retryBuild, at: Date): Promise<Retried | Refused>;
  vote(ref: BuildRef, given: Vote, decide: typeof vote, at: Date): Promise<Voted | Refused>;
  markWarning(ref: BuildRef, by: string, decide: typeof markWarning): Promise<Done | Refused>;
}

import type { Vote } from '#domain/scheduling/vote.ts';
import type {
  ActionDone,
  ActionPorts,
  ActionRefused,
  Pin,
  Retried,
  VersionTriggered,
  Voted,
} from '#flows/builds/action-ports.ts';
import { cancelBuild } from '#flows/builds/cancel-build.ts';
import { markWarning } from '#flows/builds/mark-warning.ts';
import { retryBuild } from '#flows/builds/retry-build.ts';
import type { TriggerStore } from '#flows/builds/trigger-ports.ts';
import { triggerVersion } from '#flows/builds/trigger-version.ts';
import { voteOnBuild } from '#flows/builds/vote-on-build.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from '#flows/names.ts';
import { disableVersion, enableVersion } from '#flows/pipelines/disable-version.ts';
import { pauseJob, pausePipeline, unpauseJob, unpausePipeline } from '#flows/pipelines/pause.ts';
import { pinResource, unpinResource } from '#flows/pipelines/pin-resource.ts';

/** The actions of people on pipelines, as one object over the flows. */
export interface Actions {
  pausePipeline(name: PipelineName, by: string): Promise<ActionDone | ActionRefused>;
  unpausePipeline(name: PipelineName): Promise<ActionDone | ActionRefused>;
  pauseJob(name: JobName, by: string): Promise<ActionDone | ActionRefused>;
  unpauseJob(name: JobName): Promise<ActionDone | ActionRefused>;
  pin(resource: ResourceName, pin: Pin): Promise<ActionDone | ActionRefused>;
  unpin(resource: ResourceName): Promise<ActionDone | ActionRefused>;
  disableVersion(resource: ResourceName, version: number, by: string): Promise<ActionDone | ActionRefused>;
  enableVersion(resource: ResourceName, version: number): Promise<ActionDone | ActionRefused>;
  triggerVersion(
    resource: ResourceName,
    request: { version: number; by: string },
  ): Promise<VersionTriggered | ActionRefused>;
  cancelBuild(ref: BuildRef, by: string): Promise<ActionDone | ActionRefused>;
  retryBuild(ref: BuildRef, by: string): Promise<Retried | ActionRefused>;
  vote(ref: BuildRef, vote: Vote): Promise<Voted | ActionRefused>;
  markWarning(ref: BuildRef, by: string): Promise<ActionDone | ActionRefused>;
}

interface Ports extends ActionPorts {
  builds: Pick<TriggerStore, 'withVersionRequests'>;
}

export function actionsOver(ports: Ports): Actions {
  return {
    pausePipeline: (name, by) => pausePipeline(name, by, ports),
    unpausePipeline: (name) => unpausePipeline(name, ports),
    pauseJob: (name, by) => pauseJob(name, by, ports),
    unpauseJob: (name) => unpauseJob(name, ports),
    pin: (resource, pin) => pinResource(resource, pin, ports),
    unpin: (resource) => unpinResource(resource, ports),
    disableVersion: (resource, version, by) => disableVersion(resource, { version, by }, ports),
    enableVersion: (resource, version) => enableVersion(resource, version, ports),
    triggerVersion: (resource, request) => triggerVersion(resource, request, ports),
    cancelBuild: (ref, by) => cancelBuild(ref, by, ports),
    retryBuild: (ref, by) => retryBuild(ref, by, ports),
    vote: (ref, vote) => voteOnBuild(ref, vote, ports),
    markWarning: (ref, by) => markWarning(ref, by, ports),
  };
}

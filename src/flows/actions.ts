import { cancelBuild, markWarning } from '#domain/scheduling/build-changes.ts';
import { retryBuild } from '#domain/scheduling/retry-build.ts';
import { vote, type Vote } from '#domain/scheduling/vote.ts';
import type { ActionStore, Done, Pin, Refused, Retried, Voted, VersionTriggered } from './action-ports.ts';
import type { Notifications } from './notification-ports.ts';
import type { BuildRef, JobName, PipelineName, ResourceName } from './ports.ts';
import type { TriggerStore } from './trigger-ports.ts';
import { triggerVersion } from './trigger-version.ts';

/** What people may decide; whoever calls has asked whether this person may. */
export interface Actions {
  pausePipeline(name: PipelineName, by: string): Promise<Done | Refused>;
  unpausePipeline(name: PipelineName): Promise<Done | Refused>;
  pauseJob(name: JobName, by: string): Promise<Done | Refused>;
  unpauseJob(name: JobName): Promise<Done | Refused>;
  pin(resource: ResourceName, pin: Pin): Promise<Done | Refused>;
  unpin(resource: ResourceName): Promise<Done | Refused>;
  disableVersion(resource: ResourceName, version: number, by: string): Promise<Done | Refused>;
  enableVersion(resource: ResourceName, version: number): Promise<Done | Refused>;
  triggerVersion(
    resource: ResourceName,
    asked: { version: number; by: string },
  ): Promise<VersionTriggered | Refused>;
  cancelBuild(ref: BuildRef, by: string): Promise<Done | Refused>;
  retryBuild(ref: BuildRef, by: string): Promise<Retried | Refused>;
  vote(ref: BuildRef, given: Vote): Promise<Voted | Refused>;
  markWarning(ref: BuildRef, by: string): Promise<Done | Refused>;
}

interface Ports {
  actions: ActionStore;
  builds: Pick<TriggerStore, 'withVersionRequests'>;
  notifications: Pick<Notifications, 'notify'>;
  now: () => Date;
}

/** Each is durable when it answers; then whoever has to act on it hears of it. */
export function actionsOver({ actions, builds, notifications, now }: Ports): Actions {
  const told = async <T extends Done>(work: Promise<T | Refused>): Promise<T | Refused> => {
    const answer = await work;
    if (answer.answer === 'done') tell(answer, notifications);
    return answer;
  };
  return {
    pausePipeline: (name, by) => told(actions.pausePipeline(name, by)),
    unpausePipeline: (name) => told(actions.unpausePipeline(name)),
    pauseJob: (name, by) => told(actions.pauseJob(name, by)),
    unpauseJob: (name) => told(actions.unpauseJob(name)),
    pin: (resource, pin) => told(actions.pin(resource, pin, now())),
    unpin: (resource) => told(actions.unpin(resource)),
    disableVersion: (resource, version, by) => told(actions.disableVersion(resource, { version, by }, now())),
    enableVersion: (resource, version) => told(actions.enableVersion(resource, version)),
    triggerVersion: (resource, asked) => told(triggerVersion(resource, asked, { builds, at: now() })),
    cancelBuild: (ref, by) => told(actions.cancelBuild(ref, by, cancelBuild, now())),
    retryBuild: (ref, by) => told(actions.retryBuild(ref, by, retryBuild, now())),
    vote: (ref, given) => told(actions.vote(ref, given, vote, now())),
    markWarning: (ref, by) => told(actions.markWarning(ref, by, markWarning)),
  };
}

/** Agents of builds that stop, then the scheduler, which also sees whose turn it is now. */
function tell({ pipelineId, stopped }: Done, notifications: Pick<Notifications, 'notify'>): void {
  for (const build of stopped) notifications.notify({ topic: 'cancel', build });
  notifications.notify({ topic: 'schedule', pipeline: pipelineId });
  notifications.notify({ topic: 'status', pipeline: pipelineId });
}

import type { Command } from '#domain/pipeline/command.ts';
import type {
  Job,
  Notification,
  NotificationType,
  Pipeline,
  Resource,
  ResourceType,
} from '#domain/pipeline/pipeline.ts';
import type { ActionStep, HookAction } from '#domain/pipeline/steps.ts';

/*
 * These functions find parts of a valid pipeline by name. They throw if the pipeline has no such part, which
 * validation rules out.
 */

export function jobIn(pipeline: Pipeline, name: string): Job {
  const job = pipeline.jobs.find((candidate) => candidate.name === name);
  if (!job) throw new Error(`the pipeline has no job ${name}`);
  return job;
}

export function resourceIn(pipeline: Pipeline, name: string): Resource {
  const resource = pipeline.resources.find((candidate) => candidate.name === name);
  if (!resource) throw new Error(`the pipeline has no resource ${name}`);
  return resource;
}

export function resourceTypeIn(pipeline: Pipeline, resource: string): ResourceType {
  const name = resourceIn(pipeline, resource).type;
  const type = pipeline.resourceTypes.find((candidate) => candidate.name === name);
  if (!type) throw new Error(`the pipeline has no resource type ${name}`);
  return type;
}

export function notificationIn(pipeline: Pipeline, name: string): Notification {
  const notification = pipeline.notifications?.find((candidate) => candidate.name === name);
  if (notification === undefined) throw new Error(`the pipeline has no notification ${name}`);
  return notification;
}

export function typeOfNotification(pipeline: Pipeline, name: string): NotificationType {
  const type = pipeline.notificationTypes?.find((candidate) => candidate.name === name);
  if (type === undefined) throw new Error(`the pipeline has no notification type ${name}`);
  return type;
}

/** The notifications for builds of this job. Each is sent when a build ends with one of its events. */
export function automaticNotifications(
  { notifications = [] }: Pick<Pipeline, 'notifications'>,
  job: string,
): Notification[] {
  return notifications.filter(({ on, jobs }) => on.length > 0 && (jobs === undefined || jobs.includes(job)));
}

/** The command of a step or hook. Undefined: its resource type has no such operation. */
export function commandOf(pipeline: Pipeline, step: ActionStep | HookAction): Command | undefined {
  switch (step.kind) {
    case 'task':
    case 'command':
      return step.run;
    case 'notify':
      return typeOfNotification(pipeline, notificationIn(pipeline, step.notification).type).notify;
    case 'get':
      return resourceTypeIn(pipeline, step.resource).pull;
    case 'put':
      return resourceTypeIn(pipeline, step.resource).push;
    default:
      throw new Error('a step of unknown kind');
  }
}

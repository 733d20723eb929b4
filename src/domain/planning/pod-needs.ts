import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { cachesOfBuild, cachesOfChecks, type CacheNeed } from './cache-volumes.ts';
import {
  checkDeadlineSeconds,
  HOOKS_DEADLINE_SECONDS,
  NOTIFICATIONS_DEADLINE_SECONDS,
} from './check-deadline.ts';
import { checkContainersOf, containersOf } from './containers.ts';
import { jobIn } from './find-in-pipeline.ts';
import { hookSecondsOf } from './hook-seconds.ts';
import { podContainersOf, timeoutOfJob } from './plan-build.ts';
import { checkPodContainersOf } from './plan-checks.ts';
import { hookContainersOf } from './plan-hooks.ts';
import { notificationContainersOf, type NotificationsToSend } from './plan-notifications.ts';
import type { PlanContainer } from './plan.ts';

/** What a Pod needs for its work, apart from the rules of its Team. */
export interface PodNeeds {
  containers: PlanContainer[];
  /** Deadline of the whole Pod, with its image pulls. It ends a Pod whose agent hangs. */
  deadlineSeconds: number;
  tags: string[];
  caches: CacheNeed[];
}

/**
 * What the Pod of a check run needs. `resources`: those that the run checks, or whose new versions its hooks
 * are for. Empty for notifications of builds.
 */
export interface CheckPodNeeds extends PodNeeds {
  resources: string[];
}

/**
 * Extra time that a build's Pod has beyond the timeouts of its steps and hooks. It covers image pulls before
 * them, and after them the stops of services, notifications and the end of the log.
 */
const AROUND_BUILD_SECONDS = 3600;
/** Kubernetes allows 2^31 - 1. The deadline of a warm Pod also includes the time for which it waits. */
const MAX_DEADLINE_SECONDS = 2_000_000_000;

/** `defaultTimeoutSeconds`: timeout of the Team for jobs that set none. */
export function needsOfBuild(definition: Pipeline, job: string, defaultTimeoutSeconds?: number): PodNeeds {
  const containers = containersOf(definition, job);
  const definedJob = jobIn(definition, job);
  const workSeconds = timeoutOfJob(definedJob, defaultTimeoutSeconds) + hookSecondsOf(definedJob);
  return {
    containers: podContainersOf(definition, job),
    caches: cachesOfBuild(definition, job, containers),
    deadlineSeconds: Math.min(workSeconds + AROUND_BUILD_SECONDS, MAX_DEADLINE_SECONDS),
    tags: tagsOfJob(definition, job),
  };
}

export function needsOfChecks(definition: Pipeline, resources: string[]): CheckPodNeeds {
  const containers = checkContainersOf(definition, resources);
  return {
    containers: checkPodContainersOf(definition, resources),
    caches: cachesOfChecks(definition, resources, containers),
    deadlineSeconds: checkDeadlineSeconds(resources.length),
    tags: tagsOfResources(definition, resources),
    resources,
  };
}

/** Hooks of new versions run on the nodes where their resource is checked. */
export function needsOfHooks(definition: Pipeline, resource: string): CheckPodNeeds {
  return {
    containers: hookContainersOf(definition, resource),
    caches: [],
    deadlineSeconds: HOOKS_DEADLINE_SECONDS,
    tags: tagsOfResources(definition, [resource]),
    resources: [resource],
  };
}

/** Notifications of builds are sent from the nodes where the job runs. */
export function needsOfNotifications(definition: Pipeline, toSend: NotificationsToSend): CheckPodNeeds {
  return {
    containers: notificationContainersOf(definition, toSend),
    caches: [],
    deadlineSeconds: NOTIFICATIONS_DEADLINE_SECONDS,
    tags: tagsOfJob(definition, toSend.job),
    resources: [],
  };
}

export function tagsOfJob({ jobs }: Pipeline, job: string): string[] {
  return jobs.find(({ name }) => name === job)?.tags ?? [];
}

/** Checks that share a Pod have the same tags. */
function tagsOfResources(definition: Pipeline, names: readonly string[]): string[] {
  const tags = definition.resources
    .filter(({ name }) => names.includes(name))
    .flatMap((resource) => resource.tags);
  return [...new Set(tags)].toSorted();
}

import { defined } from '#defined';
import type { Pipeline, Resource, ResourceType, Schedule } from '#domain/pipeline/pipeline.ts';
import { volumePathOf } from '#domain/pipeline/volume-paths.ts';
import { checkTimer } from './next-check.ts';

/**
 * Resources whose checks share a Pod: same schedule (also the one for webhooks), tags and image. A resource
 * whose check mounts a volume is alone in its group.
 */
export interface CheckGroup {
  /**
   * Stable, unique in the pipeline, and valid in a label or a name: `every-30s`, `cron-1f3a9c07`,
   * `on-request`.
   */
  key: string;
  /** Absent: while webhooks do not work, checks run only on request or by webhook. */
  schedule?: Schedule;
  /**
   * The operator starts the checks of the group. The CronJob of the group is suspended; a group without a
   * schedule has none.
   */
  timedByOperator: boolean;
  tags: string[];
  /** Absent: the worker image. */
  image?: string;
  /** Names, in the order of the file. */
  resources: string[];
}

/**
 * Limit for the groups of one pipeline whose checks a CronJob starts. Kubernetes starts the Pods of a CronJob
 * without regard to the limits of the team, so the CronJobs of all further groups are suspended. The operator
 * starts their checks at the scheduled times, within the limits.
 */
export const MAX_CRON_JOBS = 10;

/**
 * The check groups of a pipeline. A resource whose type has no `check` command, such as `cron`, is in none.
 */
export function checkGroups(pipeline: Pipeline): CheckGroup[] {
  const types = new Map(pipeline.resourceTypes.map((type) => [type.name, type]));
  const groups = new Map<string, CheckGroup>();
  for (const resource of pipeline.resources) {
    const type = types.get(resource.type);
    if (type?.check === undefined) continue;
    const group = groupOf(resource, type);
    const existing = groups.get(group.key);
    if (existing === undefined) groups.set(group.key, group);
    else existing.resources.push(resource.name);
  }
  const byCronJob = [...groups.values()].filter(({ timedByOperator }) => !timedByOperator);
  for (const group of byCronJob.slice(MAX_CRON_JOBS)) group.timedByOperator = true;
  return [...groups.values()];
}

/** Key of the group that checks a resource. Undefined: its type has no `check` command. */
export function checkGroupKey(resource: Resource, type: ResourceType): string | undefined {
  return type.check === undefined ? undefined : groupOf(resource, type).key;
}

function groupOf(resource: Resource, type: ResourceType): CheckGroup {
  const image = type.check?.runner === 'docker' ? type.check.image : undefined;
  const tags = [...new Set(resource.tags)].toSorted();
  const variant = [
    image ?? '',
    tags.join(','),
    mountsVolume(resource, type) ? resource.name : '',
    ...webhookScheduleKeys(resource),
  ];
  const isDefaultVariant = variant.every((part) => part === '');
  const base = scheduleKey(resource.schedule);
  return {
    key: isDefaultVariant ? base : `${base}-${shortHash(variant.join('\n'))}`,
    tags,
    timedByOperator: checkTimer(resource, type) !== 'cronjob',
    resources: [resource.name],
    ...defined({ schedule: resource.schedule, image }),
  };
}

/**
 * Whether the check of the resource mounts a volume. If so, the resource is alone in its group, so that a
 * volume that cannot be mounted does not stop other checks. Checks of built-in types mount no cache.
 */
function mountsVolume(resource: Resource, type: ResourceType): boolean {
  const hasCache = !type.builtIn && (resource.cache || type.cache);
  return hasCache || volumePathOf(resource, type) !== undefined;
}

function webhookScheduleKeys({ webhookSchedule }: Resource): string[] {
  return webhookSchedule === undefined ? [] : [scheduleKey(webhookSchedule)];
}

function scheduleKey(schedule: Schedule | undefined): string {
  if (schedule === undefined) return 'on-request';
  if (schedule.kind === 'every') return `every-${schedule.seconds}s`;
  const expression = schedule.expression.trim().split(/\s+/).join(' ');
  return `cron-${shortHash(schedule.timeZone === undefined ? expression : `${expression} ${schedule.timeZone}`)}`;
}

/** FNV-1a as eight hexadecimal digits: short names that people read. Not a cryptographic hash. */
export function shortHash(text: string): string {
  let hash = 0x81_1c_9d_c5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93) >>> 0;
  }
  return hash.toString(16).padStart(8, '0');
}

import type { Pipeline, Resource, ResourceType, Schedule } from '#domain/pipeline/pipeline.ts';
import { checkGroupKey, checkGroups } from './check-groups.ts';
import { differenceBetween } from './definition-difference.ts';
import { checkTimer, isBuiltInCron, nextCheck, type CheckTimer, type CronNext } from './next-check.ts';

/** When and how a resource of a saved definition is checked. */
export interface ResourceTimer {
  name: string;
  timer: CheckTimer;
  schedule: Schedule | null;
  /** The schedule while webhooks work. */
  webhook: Schedule | null;
  group: string;
  checkedBy: 'pod' | 'operator' | 'nothing';
  /** When the first check is due, in milliseconds since 1970. Null: no schedule starts one. */
  next: number | null;
  /** The resource has not changed, so its stored timer continues and `next` is ignored. */
  keep: boolean;
  /** The resource is new or changed, and its first check starts at once. */
  request: boolean;
}

export interface TimersToSave {
  /** Row id. */
  pipeline: number;
  /** Undefined: the pipeline is new, or had been deleted. */
  previous: Pipeline | undefined;
  definition: Pipeline;
  now: number;
}

export function resourceTimers(toSave: TimersToSave, cronNext: CronNext): ResourceTimer[] {
  const { previous, definition } = toSave;
  const { added, changed } = differenceBetween(previous, definition).resources;
  const changedNames = new Set([...added, ...changed]);
  const groups = checkGroups(definition).filter((group) => group.timedByOperator);
  const byOperator = new Set(groups.flatMap((group) => group.resources));
  return definition.resources.map((resource) => {
    const type = typeOf(resource, definition);
    const isChanged = changedNames.has(resource.name);
    const timer = timerFor(checkTimer(resource, type), byOperator.has(resource.name));
    return {
      name: resource.name,
      timer,
      schedule: resource.schedule ?? null,
      webhook: resource.webhookSchedule ?? null,
      group: checkGroupKey(resource, type) ?? '',
      checkedBy: checkedBy(type),
      next: firstCheck(resource, type, { ...toSave, timer }, cronNext),
      keep: !isChanged,
      // A new or changed resource with a schedule is checked at once, whatever the schedule. A `cron`
      // resource waits for its times.
      request: isChanged && resource.schedule !== undefined && type.check !== undefined,
    };
  });
}

function timerFor(timer: CheckTimer, byOperator: boolean): CheckTimer {
  return timer === 'cronjob' && byOperator ? 'operator' : timer;
}

function checkedBy(type: ResourceType): ResourceTimer['checkedBy'] {
  if (type.check !== undefined) return 'pod';
  return isBuiltInCron(type) ? 'operator' : 'nothing';
}

function firstCheck(
  { schedule }: Resource,
  type: ResourceType,
  { pipeline, now, timer }: Pick<TimersToSave, 'pipeline' | 'now'> & { timer: CheckTimer },
  cronNext: CronNext,
): number | null {
  if (schedule === undefined || timer === 'none') return null;
  // With 'manual', the first version of a `cron` resource with an interval comes one full interval from now.
  const cause = isBuiltInCron(type) ? 'manual' : 'schedule';
  return nextCheck({ schedule, pipeline, cause, due: now, at: now }, cronNext) ?? null;
}

function typeOf(resource: Resource, definition: Pipeline): ResourceType {
  const type = definition.resourceTypes.find((candidate) => candidate.name === resource.type);
  if (type === undefined) throw new Error(`Resource ${resource.name} has no type in its own definition.`);
  return type;
}

import type { Resource, ResourceType, Schedule } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';

/**
 * First time after `after` that a cron expression names, in UTC; undefined: never again. Times are
 * milliseconds since 1970.
 */
export type CronNext = (expression: string, after: number) => number | undefined;

/** Who starts the scheduled checks of a resource. */
export type CheckTimer = 'operator' | 'cronjob' | 'none';

/**
 * A CronJob knows no `@every`, cannot change its pace when webhooks work, and is not needed for what runs
 * without a Pod.
 */
export function checkTimer(resource: Resource, type: ResourceType): CheckTimer {
  if (resource.schedule === undefined && resource.webhookSchedule === undefined) return 'none';
  if (type.check === undefined) return isBuiltInCron(type) ? 'operator' : 'none';
  if (resource.webhookSchedule !== undefined) return 'operator';
  return resource.schedule?.kind === 'every' ? 'operator' : 'cronjob';
}

/** Under whatever name a pipeline took it by `source = "svc://cron"`. */
export function isBuiltInCron(type: ResourceType): boolean {
  return type.builtIn && type.check === undefined && !isTriggerStream(type);
}

export interface CheckStarted {
  schedule: Schedule;
  /**
   * Row id of the pipeline: spreads the checks of different pipelines, keeps those of one together in a Pod.
   */
  pipeline: number;
  cause: 'schedule' | 'manual' | 'webhook';
  /** When it was due by its timer. */
  due: number;
  at: number;
}

/**
 * Due time after a check has started. A manual or webhook check resets the timer: one full interval from now.
 */
export function nextCheck(started: CheckStarted, cronNext: CronNext): number | undefined {
  const { schedule, at, due } = started;
  if (schedule.kind === 'cron') return cronNext(schedule.expression, at);
  const interval = schedule.seconds * 1000;
  if (started.cause !== 'schedule') return at + interval;
  const offset = ((started.pipeline * GOLDEN) % 1) * interval;
  // Too early by request, or too late by more than an interval: the pace starts from now.
  const inPace = due <= at && due + interval > at;
  const earliest = Math.max((inPace ? due : at) + interval / 2, at + 1);
  return Math.round(Math.ceil((earliest - offset) / interval) * interval + offset);
}

/** Multiples of it fill the interval evenly, however many there are. */
const GOLDEN = 0.618_033_988_749_895;

/**
 * Due time after a failed check: twice as long for each failure in a row, at most an hour, never earlier than
 * planned.
 */
export function nextAfterFailure(failed: {
  schedule: Schedule;
  failures: number;
  at: number;
  planned: number | undefined;
}): number | undefined {
  const { schedule, failures, at, planned } = failed;
  if (schedule.kind === 'cron') return planned;
  const interval = schedule.seconds * 1000;
  const patience = Math.min(interval * 2 ** Math.min(failures, 10), Math.max(interval, LONGEST_BACK_OFF));
  return Math.max(planned ?? 0, at + patience);
}

const LONGEST_BACK_OFF = 60 * 60 * 1000;

/** Nobody started a check for more than two intervals after it was due. */
export function checksStalled(
  timer: { schedule: Schedule; next: number; now: number },
  cronNext: CronNext,
): boolean {
  const interval = intervalFrom(timer.schedule, timer.next, cronNext);
  return interval !== undefined && timer.now > timer.next + 2 * interval;
}

function intervalFrom(schedule: Schedule, from: number, cronNext: CronNext): number | undefined {
  if (schedule.kind === 'every') return schedule.seconds * 1000;
  const next = cronNext(schedule.expression, from);
  const afterNext = next === undefined ? undefined : cronNext(schedule.expression, next);
  return next === undefined || afterNext === undefined ? undefined : afterNext - next;
}

import type { CronSchedule, Resource, ResourceType, Schedule } from '#domain/pipeline/pipeline.ts';
import { isTriggerStream } from '#domain/pipeline/resources.ts';

/**
 * The first time after `after` that a cron expression matches. Undefined: never. Times are milliseconds since
 * 1970.
 */
export type CronNext = (schedule: CronSchedule, after: number) => number | undefined;

/** What starts the scheduled checks of a resource. */
export type CheckTimer = 'operator' | 'cronjob' | 'none';

/**
 * A CronJob starts checks on a cron expression. The operator starts those that a CronJob cannot: on a
 * schedule with `@every`, on a schedule that depends on webhooks, and of the built-in cron, which needs no
 * Pod. It also starts those of groups beyond `MAX_CRON_JOBS`, which this function does not know.
 */
export function checkTimer(resource: Resource, type: ResourceType): CheckTimer {
  if (resource.schedule === undefined && resource.webhookSchedule === undefined) return 'none';
  if (type.check === undefined) return isBuiltInCron(type) ? 'operator' : 'none';
  if (resource.webhookSchedule !== undefined) return 'operator';
  return resource.schedule?.kind === 'every' ? 'operator' : 'cronjob';
}

/**
 * Whether this is the built-in type cron, even if a pipeline uses it under another name, with `source =
 * "svc://cron"`.
 */
export function isBuiltInCron(type: ResourceType): boolean {
  return type.builtIn && type.check === undefined && !isTriggerStream(type);
}

export interface CheckStarted {
  schedule: Schedule;
  /** Row id. Spreads the checks of pipelines over the interval; those of one pipeline stay together. */
  pipeline: number;
  cause: 'schedule' | 'manual' | 'webhook';
  /** When the check was due. */
  due: number;
  /** When the check started. */
  at: number;
}

/**
 * When the next check is due after one has started. With an interval, scheduled checks of a pipeline keep
 * their offset within the interval, but a manual or webhook check makes the next one due a full interval
 * later.
 */
export function nextCheck(started: CheckStarted, cronNext: CronNext): number | undefined {
  const { schedule, at, due } = started;
  if (schedule.kind === 'cron') return cronNext(schedule, at);
  const interval = schedule.seconds * 1000;
  if (started.cause !== 'schedule') return at + interval;
  const offset = ((started.pipeline * GOLDEN_RATIO) % 1) * interval;
  // The next check is due at least half an interval after this one was due. Count from now if this check
  // started before its due time, or more than an interval after it.
  const isOnTime = due <= at && due + interval > at;
  const earliest = Math.max((isOnTime ? due : at) + interval / 2, at + 1);
  return Math.round(Math.ceil((earliest - offset) / interval) * interval + offset);
}

/** The fractional parts of the multiples of this number are spread evenly between 0 and 1. */
const GOLDEN_RATIO = 0.618_033_988_749_895;

interface CheckFailure {
  schedule: Schedule;
  timer: CheckTimer;
  /** Failed checks in a row, with this one. */
  failures: number;
  at: number;
  /** When the next check would be due without the failure. */
  planned: number | undefined;
}

/**
 * When the next check is due after a failed one. The wait is two intervals after the first failure and
 * doubles with each further one in a row. It is at most an hour or one interval, whichever is longer, and
 * never shorter than planned. With a cron expression, the times within the wait are skipped, unless a CronJob
 * starts the checks: it knows of no failures.
 */
export function nextAfterFailure(
  { schedule, timer, failures, at, planned }: CheckFailure,
  cronNext: CronNext,
): number | undefined {
  if (schedule.kind === 'cron' && timer !== 'operator') return planned;
  const interval = intervalFrom(schedule, at, cronNext);
  if (interval === undefined) return planned;
  const wait = Math.min(interval * 2 ** Math.min(failures, 10), Math.max(interval, MAX_BACK_OFF_MS));
  if (schedule.kind === 'every') return Math.max(planned ?? 0, at + wait);
  // `cronNext` returns a time after its argument, so one interval is subtracted to get the time that ends the
  // wait.
  return Math.max(planned ?? 0, cronNext(schedule, at + wait - interval) ?? 0);
}

const MAX_BACK_OFF_MS = 60 * 60 * 1000;

/**
 * The latest time for which a check that the operator starts can be due, as of `at`. A later due time was set
 * by a process whose clock was ahead. Undefined: the schedule has no further time.
 */
export function latestDue(
  timer: { schedule: Schedule; failures: number; at: number },
  cronNext: CronNext,
): number | undefined {
  const { schedule, failures, at } = timer;
  const backOffMs = failures === 0 ? 0 : MAX_BACK_OFF_MS;
  if (schedule.kind === 'cron') return cronNext(schedule, at + backOffMs);
  return at + Math.max(2 * schedule.seconds * 1000, backOffMs);
}

/** Whether a check is overdue by more than two intervals. */
export function checksStalled(
  timer: { schedule: Schedule; next: number; now: number },
  cronNext: CronNext,
): boolean {
  const interval = intervalFrom(timer.schedule, timer.next, cronNext);
  return interval !== undefined && timer.now > timer.next + 2 * interval;
}

function intervalFrom(schedule: Schedule, from: number, cronNext: CronNext): number | undefined {
  if (schedule.kind === 'every') return schedule.seconds * 1000;
  const next = cronNext(schedule, from);
  const afterNext = next === undefined ? undefined : cronNext(schedule, next);
  return next === undefined || afterNext === undefined ? undefined : afterNext - next;
}

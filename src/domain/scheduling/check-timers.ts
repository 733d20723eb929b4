import { defined } from '#defined';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { nextAfterFailure, nextCheck, type CheckTimer, type CronNext } from './next-check.ts';
import { scheduleNow, webhookWorks } from './webhook-pace.ts';

type Cause = 'schedule' | 'manual' | 'webhook';

/** What the next due time of a check scope depends on. Times are milliseconds since 1970. */
export interface ScopeTimer {
  /** Row id. */
  id: number;
  /** Row id. */
  pipeline: number;
  timer: CheckTimer;
  /** The schedule in effect: the usual one, or that for working webhooks. */
  schedule?: Schedule;
  /** When the next check is due. */
  next?: number;
  /** Failed checks in a row. */
  failures: number;
}

/** A scope that no check run has claimed. */
export interface FreeScope extends ScopeTimer {
  group: string;
  requestedCause?: Cause;
}

export interface ClaimedScope {
  scope: number;
  cause: Cause;
  /** When the next check is due. Absent: only a request starts one. */
  next?: number;
}

/**
 * A run claims all free scopes of its group. Each check has its own cause: the webhook of one resource does
 * not count as a webhook of the others.
 */
export function claimScopes(
  free: readonly FreeScope[],
  cause: Cause,
  at: number,
  cronNext: CronNext,
): ClaimedScope[] {
  return free.map((scope) => {
    const ownCause = scope.requestedCause ?? (cause === 'webhook' ? 'schedule' : cause);
    return withNext(
      { scope: scope.id, cause: ownCause },
      nextAfterStart(scope, { cause: ownCause, at }, cronNext),
    );
  });
}

/**
 * The cause of the checks in a Pod of a CronJob. If the operator starts the checks of the group, its CronJob
 * is suspended, so a person created the Pod from it.
 */
export function causeOfCronJobPod(free: readonly ScopeTimer[]): Cause {
  return free.some(({ timer }) => timer === 'cronjob') ? 'schedule' : 'manual';
}

/** A check scope, and the run that checks it. */
export interface CheckedScope extends ScopeTimer {
  /** The run that claimed the scope. */
  run?: number;
  /** The check is due. */
  due: boolean;
  requestedCause?: Cause;
  /** Cause of the check in that run. */
  runCause?: Cause;
  usualSchedule?: Schedule;
  webhookSchedule?: Schedule;
  webhookWorks: boolean;
}

/**
 * Whether a result counts: only while its run has claimed the scope. A result without a run (of the built-in
 * cron) counts only while the check is due and no run has claimed the scope.
 */
export function mayRecord({ run: holder, due }: CheckedScope, run: number | undefined): boolean {
  return run === undefined ? holder === undefined && due : holder === run;
}

export interface CheckSucceeded {
  /** A check of the built-in cron: it needs no Pod and has no run, because it starts and ends at once. */
  atOnce: boolean;
  /** How many new versions the check found. */
  found: number;
  at: number;
}

export interface ScopeAfterCheck {
  webhookWorks: boolean;
  schedule?: Schedule;
  next?: number;
}

/**
 * The timer of a scope after a successful check. For the check of a run, the next due time was set when the
 * run claimed the scope; for a check without a run (`atOnce`), it is set here. If the check shows that
 * webhooks work, or that they no longer do, the next due time counts from now instead, as after a request.
 */
export function afterSuccess(
  scope: CheckedScope,
  { atOnce, found, at }: CheckSucceeded,
  cronNext: CronNext,
): ScopeAfterCheck {
  const cause = (atOnce ? scope.requestedCause : scope.runCause) ?? 'schedule';
  const works = webhookWorks(scope.webhookWorks, { cause, found });
  const schedule = scheduleInEffect(scope, works);
  const { schedule: _, ...unscheduled } = scope;
  const rescheduled = schedule === undefined ? unscheduled : { ...unscheduled, schedule };
  const planned = atOnce ? nextAfterStart(scope, { cause, at }, cronNext) : scope.next;
  const next =
    works === scope.webhookWorks ? planned : nextAfterStart(rescheduled, { cause: 'webhook', at }, cronNext);
  return withNext({ webhookWorks: works, ...defined({ schedule }) }, next);
}

/** When a scope is due after a failed check. Undefined: only a request starts one. */
export function afterFailure(
  { schedule, timer, failures, next }: Pick<ScopeTimer, 'schedule' | 'timer' | 'failures' | 'next'>,
  at: number,
  cronNext: CronNext,
): number | undefined {
  if (schedule === undefined) return undefined;
  return nextAfterFailure({ schedule, timer, failures: failures + 1, at, planned: next }, cronNext);
}

/**
 * Number of versions that a check omitted and that are not stored. Zero if the check also printed a version
 * that was stored before: then all older versions are stored, too. `different`: number of distinct versions
 * that the check printed; `added`: how many of them were not stored before.
 */
export function omittedVersions(
  omitted: number,
  { added, different }: { added: number; different: number },
): number {
  return added === different ? omitted : 0;
}

function nextAfterStart(
  { schedule, pipeline, next }: Pick<ScopeTimer, 'schedule' | 'pipeline' | 'next'>,
  { cause, at }: { cause: Cause; at: number },
  cronNext: CronNext,
): number | undefined {
  return schedule && nextCheck({ schedule, pipeline, cause, due: next ?? at, at }, cronNext);
}

/** The schedule of a scope after a check. It changes only if the resource has a `webhookSchedule`. */
function scheduleInEffect(
  { usualSchedule, webhookSchedule, schedule }: CheckedScope,
  works: boolean,
): Schedule | undefined {
  if (webhookSchedule === undefined) return schedule;
  const usual = usualSchedule === undefined ? {} : { schedule: usualSchedule };
  return scheduleNow({ ...usual, webhookSchedule }, works);
}

function withNext<T extends object>(value: T, next: number | undefined): T & { next?: number } {
  return next === undefined ? value : { ...value, next };
}

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
    const own = scope.requestedCause ?? (cause === 'webhook' ? 'schedule' : cause);
    return withNext({ scope: scope.id, cause: own }, afterStart(scope, { cause: own, at }, cronNext));
  });
}

/** A group timed by the operator has no running CronJob, so a person created the Pod from a suspended one. */
export function causeOfCronJobPod(free: readonly ScopeTimer[]): Cause {
  return free.some(({ timer }) => timer === 'cronjob') ? 'schedule' : 'manual';
}

/** A check scope, and the run that checks it. */
export interface CheckedScope extends ScopeTimer {
  /** The run that claimed it. */
  run?: number;
  due: boolean;
  requestedCause?: Cause;
  /** Cause of its run. */
  runCause?: Cause;
  usualSchedule?: Schedule;
  webhookSchedule?: Schedule;
  webhookWorks: boolean;
}

/**
 * A result counts only while its run has claimed the scope. Without a run (built-in cron), only while the
 * check is due.
 */
export function mayRecord({ run: holder, due }: CheckedScope, run: number | undefined): boolean {
  return run === undefined ? holder === undefined && due : holder === run;
}

export interface CheckSucceeded {
  /** The check had no run: it starts and ends at once. */
  atOnce: boolean;
  /** New versions. */
  found: number;
  at: number;
}

export interface ScopeAfterCheck {
  webhookWorks: boolean;
  schedule?: Schedule;
  next?: number;
}

/** The timer of a scope after a successful check. A changed schedule counts from now, as after a request. */
export function afterSuccess(
  scope: CheckedScope,
  { atOnce, found, at }: CheckSucceeded,
  cronNext: CronNext,
): ScopeAfterCheck {
  const cause = (atOnce ? scope.requestedCause : scope.runCause) ?? 'schedule';
  const works = webhookWorks(scope.webhookWorks, { cause, found });
  const schedule = paceOf(scope, works);
  const { schedule: _, ...rest } = scope;
  const paced = schedule === undefined ? rest : { ...rest, schedule };
  const planned = atOnce ? afterStart(scope, { cause, at }, cronNext) : scope.next;
  const next = works === scope.webhookWorks ? planned : afterStart(paced, { cause: 'webhook', at }, cronNext);
  return withNext({ webhookWorks: works, ...defined({ schedule }) }, next);
}

/** When a scope is due after a failed check. Undefined: only a request starts one. */
export function afterFailure(
  { schedule, failures, next }: Pick<ScopeTimer, 'schedule' | 'failures' | 'next'>,
  at: number,
): number | undefined {
  if (schedule === undefined) return undefined;
  return nextAfterFailure({ schedule, failures: failures + 1, at, planned: next });
}

/**
 * Number of versions that a check omitted and that are not stored. None if the check also printed a version
 * that was stored before: then all older ones are stored, too.
 */
export function omittedVersions(
  omitted: number,
  { added, different }: { added: number; different: number },
): number {
  return added === different ? omitted : 0;
}

function afterStart(
  { schedule, pipeline, next }: Pick<ScopeTimer, 'schedule' | 'pipeline' | 'next'>,
  { cause, at }: { cause: Cause; at: number },
  cronNext: CronNext,
): number | undefined {
  return schedule && nextCheck({ schedule, pipeline, cause, due: next ?? at, at }, cronNext);
}

/** Only a resource with a `webhookSchedule` changes its schedule. */
function paceOf(
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

import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { nextAfterFailure, nextCheck, type CheckTimer, type CronNext } from './next-check.ts';
import { scheduleNow, webhookWorks } from './webhook-pace.ts';

type Cause = 'schedule' | 'manual' | 'webhook';

/** The part of a check scope that its timer is worked out from. Times are milliseconds since 1970. */
export interface ScopeTimer {
  /** Row id of the scope. */
  id: number;
  /** Row id. */
  pipeline: number;
  timer: CheckTimer;
  /** In force now. */
  schedule?: Schedule;
  /** When it is due. */
  next?: number;
  /** In a row. */
  failures: number;
}

/** A scope that no run has. */
export interface FreeScope extends ScopeTimer {
  group: string;
  requestedCause?: Cause;
}

export interface ScopeClaimed {
  scope: number;
  cause: Cause;
  /** Absent: not due again by itself. */
  next?: number;
}

/**
 * Each scope that a run takes goes on with its own cause: a webhook of one resource is none of those that are
 * checked with it.
 */
export function claimScopes(
  free: readonly FreeScope[],
  cause: Cause,
  at: number,
  cronNext: CronNext,
): ScopeClaimed[] {
  return free.map((scope) => {
    const own = scope.requestedCause ?? (cause === 'webhook' ? 'schedule' : cause);
    return withNext({ scope: scope.id, cause: own }, afterStart(scope, { cause: own, at }, cronNext));
  });
}

/** The operator's own timer has no CronJob that runs: a Pod of such a group was made by a person. */
export function causeOfCronJobPod(free: readonly ScopeTimer[]): Cause {
  return free.some(({ timer }) => timer === 'cronjob') ? 'schedule' : 'manual';
}

/** A scope that a check is of. */
export interface CheckedScope extends ScopeTimer {
  /** The run that has it. */
  run?: number;
  due: boolean;
  requestedCause?: Cause;
  /** Of its run. */
  runCause?: Cause;
  usualSchedule?: Schedule;
  webhookSchedule?: Schedule;
  webhookWorks: boolean;
}

/**
 * A result counts only while its run has the scope; without a run (built-in cron), only while the check is
 * due.
 */
export function mayRecord({ run: holder, due }: CheckedScope, run: number | undefined): boolean {
  return run === undefined ? holder === undefined && due : holder === run;
}

export interface CheckSucceeded {
  /** The check had no run: it begins and ends at once. */
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

/** Where a scope goes on after a check that succeeded. Another pace counts from now, as after a request. */
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
  return withNext({ webhookWorks: works, ...(schedule === undefined ? {} : { schedule }) }, next);
}

/** When a scope is due after a check that failed; undefined: not by itself. */
export function afterFailure(
  { schedule, failures, next }: Pick<ScopeTimer, 'schedule' | 'failures' | 'next'>,
  at: number,
): number | undefined {
  if (schedule === undefined) return undefined;
  return nextAfterFailure({ schedule, failures: failures + 1, at, planned: next });
}

/**
 * Where a check meets what is known, everything older is known too: it missed nothing, however much was cut.
 */
export function versionsMissed(
  cut: number,
  { added, different }: { added: number; different: number },
): number {
  return added === different ? cut : 0;
}

function afterStart(
  { schedule, pipeline, next }: Pick<ScopeTimer, 'schedule' | 'pipeline' | 'next'>,
  { cause, at }: { cause: Cause; at: number },
  cronNext: CronNext,
): number | undefined {
  return schedule && nextCheck({ schedule, pipeline, cause, due: next ?? at, at }, cronNext);
}

/** Without a schedule of its own for webhooks nothing changes. */
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

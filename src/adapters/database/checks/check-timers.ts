import { sql } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import {
  ids,
  prepared,
  rows,
  textArray,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import { defined } from '#defined';
import { storable } from '#domain/build/storable.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { FreeScope, ScopeTimer } from '#domain/scheduling/check-timers.ts';
import type { CheckCause, CheckFailed, TimerAhead } from '#flows/checks/ports.ts';

export interface TimerRow {
  id: number;
  pipeline_id: number;
  schedule: Schedule | null;
  timer: ScopeTimer['timer'];
  next_check_at: Date | null;
  failures: number;
}

export interface FreeScopeRow extends TimerRow {
  check_group: string;
  requested_cause: CheckCause | null;
}

/** SQL: the columns of `FreeScopeRow` for scope `s`. */
export const FREE_SCOPE = sql.fragment`s.id, s.pipeline_id, s.schedule, s.timer, s.next_check_at, s.failures,
  s.check_group, s.requested_cause`;

export function toTimer({ id, pipeline_id, schedule, timer, next_check_at, failures }: TimerRow): ScopeTimer {
  return {
    id,
    pipeline: pipeline_id,
    timer,
    failures,
    ...withoutNulls({ schedule }),
    ...defined({ next: next_check_at?.getTime() }),
  };
}

export function toFreeScope(row: FreeScopeRow): FreeScope {
  const { check_group: group, requested_cause: cause } = row;
  return { ...toTimer(row), group, ...withoutNulls({ requestedCause: cause }) };
}

/** Converts milliseconds since 1970 to a query parameter; undefined to null. */
export const isoTime = (milliseconds: number | undefined): string | null =>
  milliseconds === undefined ? null : new Date(milliseconds).toISOString();

/**
 * SQL assignments that end the run of a scope and keep its id as `last_run`. A check that had no run gets the
 * next id of the same sequence, so that `last_run` grows with each check.
 */
export const RUN_ENDED = sql.fragment`run_id = NULL,
  last_run = coalesce(run_id, nextval(pg_get_serial_sequence('check_runs', 'id')))`;

export async function failCheck(
  connection: Transaction,
  { scope, error, log, next }: CheckFailed,
  at: Date,
): Promise<void> {
  await connection.query(rows()`
    UPDATE check_scopes SET ${RUN_ENDED}, held_since = NULL, held_reason = NULL, failures = failures + 1,
      next_check_at = ${isoTime(next)}, last_error = ${storable(error)},
      last_log = ${storable(log)}, last_checked_at = ${timestamp(at)}
    WHERE id = ${scope}`);
}

/**
 * The query reads along an index. It returns few checks that have an interval, because these are usually due
 * within two intervals.
 */
export async function timersAhead({ pool }: Database, at: Date): Promise<TimerAhead[]> {
  const ahead = await pool.any(prepared<Omit<TimerAhead, 'next'> & { next: Date }>('timers_ahead')`
    SELECT id AS scope, schedule, failures, next_check_at AS next FROM check_scopes
    WHERE live AND run_id IS NULL AND timer = 'operator' AND schedule IS NOT NULL AND next_check_at > ${timestamp(at)}
      + 2 * interval '1 second' * coalesce((schedule->>'seconds')::integer, 0)
    ORDER BY id`);
  return ahead.map(({ next, ...timer }) => ({ ...timer, next: next.getTime() }));
}

export async function moveTimers(
  database: Database,
  moved: readonly { scope: number; from: number; next: number }[],
): Promise<void> {
  const times = (of: 'from' | 'next') => textArray(moved.map((timer) => isoTime(timer[of]) ?? ''));
  await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    await connection.query(rows()`
      WITH moved AS (
        SELECT s.id, n.next FROM check_scopes s
        JOIN unnest(${ids(moved.map(({ scope }) => scope))}, ${times('from')}, ${times('next')})
          AS n (id, former, next) ON n.id = s.id
        WHERE s.run_id IS NULL AND date_trunc('milliseconds', s.next_check_at) = n.former::timestamptz
        ORDER BY s.id FOR UPDATE OF s)
      UPDATE check_scopes s SET next_check_at = m.next::timestamptz FROM moved m WHERE s.id = m.id`);
  });
}

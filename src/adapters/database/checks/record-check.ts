import { sql } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { storable } from '#domain/build/storable.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import type { CheckedScope } from '#domain/scheduling/check-timers.ts';
import type { CheckCause, ScopeChecked } from '#flows/checks/ports.ts';
import { isoTime, RUN_ENDED, toTimer, type TimerRow } from './check-timers.ts';

interface ScopeRow extends TimerRow {
  run_id: number | null;
  due: boolean;
  requested_cause: CheckCause | null;
  run_cause: CheckCause | null;
  usual_schedule: Schedule | null;
  webhook_schedule: Schedule | null;
  webhook_works: boolean;
}

export async function scopeOfCheck(
  connection: Transaction,
  scope: number,
  at: Date,
): Promise<CheckedScope | undefined> {
  const row = await connection.maybeOne(rows<ScopeRow>()`
    SELECT id, pipeline_id, schedule, timer, next_check_at, failures, run_id, requested_cause, run_cause,
      usual_schedule, webhook_schedule, webhook_works,
      requested_at IS NOT NULL OR (timer = 'operator' AND next_check_at <= ${timestamp(at)}) AS due
    FROM check_scopes s WHERE id = ${scope} AND (live OR ${isFormerScope}) FOR UPDATE`);
  if (row === null) return undefined;
  const { run_id: run, requested_cause: requestedCause, run_cause: runCause } = row;
  const { usual_schedule: usualSchedule, webhook_schedule: webhookSchedule } = row;
  return {
    ...toTimer(row),
    due: row.due,
    webhookWorks: row.webhook_works,
    ...withoutNulls({ run, requestedCause, runCause, usualSchedule, webhookSchedule }),
  };
}

/**
 * SQL condition: the resource of scope `s` exists, but has another scope. A check that began before the
 * change of scope may record versions of `s`, which trigger nothing.
 */
const isFormerScope = sql.fragment`EXISTS (
  SELECT 1 FROM resources r WHERE r.id = s.resource_id AND r.scope_id <> s.id AND r.deleted_at IS NULL)`;

export async function freeScope(
  connection: Transaction,
  { scope, atOnce, webhookWorks, schedule, next, omitted, log }: ScopeChecked,
  at: Date,
): Promise<void> {
  await connection.query(rows()`
    UPDATE check_scopes SET ${RUN_ENDED}, webhook_works = ${webhookWorks},
      schedule = ${schedule === undefined ? null : JSON.stringify(schedule)}::jsonb,
      held_since = NULL, held_reason = NULL, failures = 0, last_error = NULL, last_log = ${storable(log)},
      last_checked_at = ${timestamp(at)}, cut = ${omitted}, next_check_at = ${isoTime(next)},
      requested_at = CASE WHEN ${atOnce} THEN NULL ELSE requested_at END,
      requested_cause = CASE WHEN ${atOnce} THEN NULL ELSE requested_cause END
    WHERE id = ${scope}`);
}

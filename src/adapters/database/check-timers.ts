import { storable } from '#domain/build/storable.ts';
import type { Schedule } from '#domain/pipeline/pipeline.ts';
import { nextAfterFailure, nextCheck } from '#domain/scheduling/next-check.ts';
import type { CheckCause } from '#flows/check-ports.ts';
import { cronNext } from './cron-next.ts';
import { sql } from 'slonik';
import { rows, type Transaction } from './pool.ts';

/** The part of a check scope that its timer is worked out from. */
export interface TimerRow {
  id: number;
  pipeline_id: number;
  schedule: Schedule | null;
  timer: 'operator' | 'cronjob' | 'none';
  next_check_at: Date | null;
  failures: number;
}

/** Due time once a check has started at `at`. */
export function afterStart(row: TimerRow, cause: CheckCause, at: Date): Date | null {
  if (row.schedule === null) return null;
  const due = row.next_check_at?.getTime() ?? at.getTime();
  const started = { schedule: row.schedule, pipeline: row.pipeline_id, cause, due, at: at.getTime() };
  return toDate(nextCheck(started, cronNext));
}

/** Due time once it has failed. */
function afterFailure(row: TimerRow, at: Date): Date | null {
  if (row.schedule === null) return null;
  const planned = row.next_check_at?.getTime();
  const failed = { schedule: row.schedule, failures: row.failures + 1, at: at.getTime(), planned };
  return toDate(nextAfterFailure(failed, cronNext));
}

/** Assignment: the run of the scope has ended. A check without a run gets a number of the same order. */
export const RUN_ENDED = sql.fragment`run_id = NULL, last_run = coalesce(run_id, nextval(pg_get_serial_sequence('check_runs', 'id')))`;

/** Records a failed check and frees the scope. */
export async function failCheck(
  connection: Transaction,
  row: TimerRow,
  failed: { error: string; log: string; at: Date },
): Promise<void> {
  const next = afterFailure(row, failed.at)?.toISOString() ?? null;
  await connection.query(rows()`
    UPDATE check_scopes SET ${RUN_ENDED}, held_since = NULL, held_reason = NULL, failures = failures + 1, next_check_at = ${next}, last_error = ${storable(failed.error)},
      last_log = ${storable(failed.log)}, last_checked_at = ${failed.at.toISOString()}
    WHERE id = ${row.id}`);
}

const toDate = (time: number | undefined): Date | null => (time === undefined ? null : new Date(time));

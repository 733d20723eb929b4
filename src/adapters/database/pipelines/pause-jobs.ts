import { sql, type FragmentSqlToken } from 'slonik';
import { lockJobs } from '#adapters/database/checks/request-schedule.ts';
import { LAST_FOUND_FIRST, ofScope } from '#adapters/database/checks/versions-in-order.ts';
import { ids, rows, type Transaction } from '#adapters/database/connection/pool.ts';

/**
 * Pauses the jobs `j` that match the SQL condition. The caller holds the pipeline's lock. Returns whether any
 * job was not paused before.
 */
export async function pauseJobs(
  connection: Transaction,
  condition: FragmentSqlToken,
  by: string,
): Promise<boolean> {
  await lockJobs(connection, sql.fragment`SELECT j.id FROM jobs j WHERE ${condition}`);
  const paused = await connection.anyFirst(rows<{ id: number }>()`
    UPDATE jobs j SET paused = true, paused_by = ${by} WHERE ${condition} AND NOT j.paused RETURNING j.id`);
  await returnTurns(connection, paused);
  return paused.length > 0;
}

/**
 * Puts the builds that had their turn but have no Pod yet back into the queue. So a paused job starts no
 * build and takes no slot from other jobs. A build whose earlier Pod ran steps is not put back: it continues
 * with its next Pod.
 */
async function returnTurns(connection: Transaction, jobs: readonly number[]): Promise<void> {
  if (jobs.length === 0) return;
  await connection.query(rows()`
    UPDATE builds SET admitted_at = NULL, wants_pod = false, pending_reason = NULL, start_after = NULL,
      start_refusals = 0
    WHERE id = ANY(ARRAY(
      SELECT b.id FROM builds b WHERE b.job_id = ANY(${ids(jobs)}) AND b.wants_pod AND b.status = 'pending'
        AND NOT EXISTS (SELECT 1 FROM build_steps s WHERE s.build_id = b.id)
      ORDER BY b.id FOR UPDATE OF b))`);
}

/**
 * Unpauses the jobs `j` that match the SQL condition. Versions that were found during the pause trigger no
 * builds of these jobs. Returns whether any job was paused.
 */
export async function unpauseJobs(connection: Transaction, condition: FragmentSqlToken): Promise<boolean> {
  await lockJobs(connection, sql.fragment`SELECT j.id FROM jobs j WHERE ${condition}`);
  await connection.query(rows()`
    UPDATE job_gets g SET dealt_with = greatest(g.dealt_with, newest.id)
    FROM jobs j, resources r
      CROSS JOIN LATERAL (SELECT id FROM versions
        WHERE ${ofScope(sql.fragment`r.scope_id`)} ${LAST_FOUND_FIRST} LIMIT 1) AS newest
    WHERE j.id = g.job_id AND j.paused AND r.id = g.resource_id AND ${condition}`);
  await connection.query(rows()`
    UPDATE get_marks m SET dealt_with = greatest(m.dealt_with, newest.id)
    FROM jobs j, check_scopes s
      CROSS JOIN LATERAL (SELECT id FROM versions WHERE ${ofScope(sql.fragment`s.id`)} ${LAST_FOUND_FIRST}
        LIMIT 1) AS newest
    WHERE j.id = m.job_id AND j.paused AND s.id = m.scope_id AND ${condition}`);
  const unpaused = await connection.anyFirst(rows<{ id: number }>()`
    UPDATE jobs j SET paused = false, paused_by = NULL, schedule_requested = schedule_requested + 1
    WHERE ${condition} AND j.paused AND j.deleted_at IS NULL RETURNING j.id`);
  await connection.query(rows()`
    UPDATE jobs j SET paused = false, paused_by = NULL WHERE ${condition} AND j.paused AND j.deleted_at IS NOT NULL`);
  return unpaused.length > 0;
}

export const ofPipeline = (pipeline: number): FragmentSqlToken => sql.fragment`j.pipeline_id = ${pipeline}`;

import { sql } from 'slonik';
import { requestSchedule } from '#adapters/database/checks/request-schedule.ts';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { ids, LOCK, prepared, rows, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import type { WaitingApproval } from '#flows/builds/turn-ports.ts';

/** Returns the builds that wait for an approval with a timeout. Few builds wait, and an index lists them. */
export async function approvalsWithTimeout({ pool }: Database): Promise<WaitingApproval[]> {
  const waiting = await pool.any(prepared<WaitingApproval>('approvals_with_timeout')`
    SELECT b.id, j.pipeline_id AS "pipelineId", b.gate, b.created_at AS "createdAt" FROM builds b
      JOIN jobs j ON j.id = b.job_id
    WHERE b.status = 'waiting' AND b.gate ? 'timeoutSeconds'`);
  return [...waiting];
}

export async function endExpiredApprovals(
  database: Database,
  { pipeline, builds, at }: { pipeline: number; builds: readonly number[]; at: Date },
): Promise<void> {
  await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${pipeline}::int)`);
    const jobs = await connection.anyFirst(rows<{ job: number }>()`
      UPDATE builds SET status = 'failed', reason = 'ApprovalExpired',
        message = 'Nobody approved it in time.', ended_at = ${timestamp(at)}
      WHERE id IN (SELECT id FROM builds WHERE id = ANY(${ids(builds)}) AND status = 'waiting' ORDER BY id FOR UPDATE)
      RETURNING job_id AS job`);
    await connection.query(rows()`${requestSchedule(sql.fragment`SELECT unnest(${ids(jobs)})`)}`);
  });
}

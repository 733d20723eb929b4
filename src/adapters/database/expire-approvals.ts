import { sql } from 'slonik';
import { approvalExpiresAt, type Gate } from '#domain/scheduling/vote.ts';
import { holdEpoch } from './fence.ts';
import { ids, LOCK, rows, time, type Database } from './pool.ts';
import { requestSchedule } from './record-versions.ts';

interface Waiting {
  id: number;
  pipeline: number;
  gate: Gate;
  createdAt: Date;
}

/** Few wait, and an index holds them. Answers the pipelines in which some have failed by this. */
export async function expireApprovals(database: Database, at: Date): Promise<number[]> {
  const waiting = await database.pool.any(rows<Waiting>()`
    SELECT b.id, j.pipeline_id AS pipeline, b.gate, b.created_at AS "createdAt" FROM builds b JOIN jobs j ON j.id = b.job_id
    WHERE b.status = 'waiting' AND b.gate ? 'timeoutSeconds'`);
  const late = waiting.filter(({ gate, createdAt }) => {
    const end = approvalExpiresAt(gate, createdAt.getTime());
    return end !== undefined && end <= at.getTime();
  });
  const pipelines = [...new Set(late.map(({ pipeline }) => pipeline))];
  for (const pipeline of pipelines) {
    const builds = late.filter((build) => build.pipeline === pipeline).map(({ id }) => id);
    await expire(database, { pipeline, builds, at });
  }
  return pipelines;
}

async function expire(
  database: Database,
  { pipeline, builds, at }: { pipeline: number; builds: number[]; at: Date },
): Promise<void> {
  await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${pipeline}::int)`);
    const jobs = await connection.anyFirst(rows<{ job: number }>()`
      UPDATE builds SET status = 'failed', reason = 'ApprovalExpired', message = 'Nobody approved it in time.', ended_at = ${time(at)}
      WHERE id IN (SELECT id FROM builds WHERE id = ANY(${ids(builds)}) AND status = 'waiting' ORDER BY id FOR UPDATE)
      RETURNING job_id AS job`);
    await connection.query(rows()`${requestSchedule(sql.fragment`SELECT unnest(${ids(jobs)})`)}`);
  });
}

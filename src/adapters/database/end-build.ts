import { sql } from 'slonik';
import { storable } from '#domain/build/storable.ts';
import type { BuildEnd } from '#flows/ports.ts';
import { holdEpoch } from './fence.ts';
import { LOCK, prepared, rows, time, type Database, type Transaction } from './pool.ts';
import { requestSchedule } from './record-versions.ts';

export async function endBuild(
  database: Database,
  { build, attempt, end }: { build: number; attempt: number; end: BuildEnd },
): Promise<'ended' | 'over'> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const open = await connection.maybeOne(rows<{ pipeline: number; job: number }>()`
      SELECT j.pipeline_id AS pipeline, j.id AS job FROM builds b JOIN jobs j ON j.id = b.job_id
      WHERE b.id = ${build} AND b.attempt = ${attempt} AND b.ended_at IS NULL FOR UPDATE OF b`);
    if (open === null) return 'over';
    await lockForEnd(connection, open.pipeline);
    await settleSteps(connection, { build, attempt, end });
    await writeEnd(connection, { build, attempt, job: open.job, end });
    return 'ended';
  });
}

/** Before versions are recorded or jobs asked for: pipelines are saved and scheduled under the same lock, alone. */
export async function lockForEnd(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(prepared('lock_for_end')`
    SELECT FROM pg_advisory_xact_lock_shared(${LOCK.pipeline}, ${pipeline}::int)`);
}

/** The outcome; the good versions if it succeeded; a request for the job itself and for all that wait for it to pass. */
export async function writeEnd(
  connection: Transaction,
  { build, attempt, job, end }: { build: number; attempt: number; job: number; end: BuildEnd },
): Promise<void> {
  await connection.query(prepared('end_build')`
    WITH ended AS (
      UPDATE builds SET status = ${end.outcome}, reason = ${end.reason}, message = ${storable(end.message)}, wants_pod = false,
        pending_reason = NULL, ended_at = ${time(end.at)}
      WHERE id = ${build}),
    attempt AS (
      UPDATE build_attempts SET ended_at = ${time(end.at)} WHERE build_id = ${build} AND attempt = ${attempt}),
    good AS (
      INSERT INTO good_versions (job_id, resource_id, version_id, build_id)
      SELECT ${job}::bigint, resource_id, version_id, ${build}::bigint FROM (
        SELECT resource_id, version_id FROM build_inputs WHERE build_id = ${build}
        UNION SELECT resource_id, version_id FROM build_outputs WHERE build_id = ${build} AND attempt = ${attempt}) AS used
      WHERE ${end.outcome}::text = 'succeeded'
      ON CONFLICT DO NOTHING)
    ${requestSchedule(sql.fragment`SELECT ${job}::bigint
      UNION SELECT job_id FROM job_gets WHERE passed @> ARRAY[${job}::bigint] AND ${end.outcome}::text = 'succeeded'`)}`);
}

/** Steps of which no end was heard: after a success they are proven, otherwise they ended with the build or never began. */
async function settleSteps(
  connection: Transaction,
  { build, attempt, end }: { build: number; attempt: number; end: BuildEnd },
): Promise<void> {
  await connection.query(rows()`
    UPDATE build_steps SET ended_at = CASE WHEN status = 'started' THEN ${time(end.at)} END, status = CASE
      WHEN ${end.outcome}::text = 'succeeded' THEN 'succeeded'
      WHEN status = 'waiting' THEN 'skipped'
      ELSE ${end.outcome === 'cancelled' ? 'cancelled' : 'failed'} END
    WHERE build_id = ${build} AND attempt = ${attempt} AND status IN ('waiting', 'started')`);
}

/** After a Pod that came to no step there is a pause of 2, 4, 8 … seconds: a short trouble must not use up all attempts. */
export async function retryBuild(
  database: Database,
  { build, attempt, reason, at }: { build: number; attempt: number; reason: string; at: Date },
): Promise<'retried' | 'over'> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const next = await connection.maybeOneFirst(rows<{ attempt: number }>()`
      UPDATE builds SET attempt = attempt + 1, wants_pod = true, status = 'pending', started_at = NULL,
        pending_reason = ${reason}, start_after = CASE WHEN started_at IS NULL
          THEN now() + make_interval(secs => 2 ^ least(attempt, 6)) END
      WHERE id = ${build} AND attempt = ${attempt} AND ended_at IS NULL RETURNING attempt`);
    if (next === null) return 'over';
    await connection.query(rows()`
      WITH over AS (UPDATE build_attempts SET ended_at = ${time(at)}, reason = ${reason}
        WHERE build_id = ${build} AND attempt = ${attempt})
      INSERT INTO build_attempts (build_id, attempt, created_at) VALUES (${build}, ${next}, ${time(at)})`);
    return 'retried';
  });
}

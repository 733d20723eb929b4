import { sql } from 'slonik';
import { STILL_OPEN } from '#adapters/database/builds/scheduling/stop-builds.ts';
import { lockJobs } from '#adapters/database/checks/request-schedule.ts';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { LOCK, rows, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { PipelineName } from '#flows/names.ts';
import { dropMarks } from './get-marks.ts';

/**
 * Marks the pipeline with its jobs and resources as deleted. Ends builds without a Pod at once, and marks
 * builds with a Pod for cancellation. Returns the builds that have not ended: call it again until there are
 * none. With `uid`, it does nothing if the pipeline belongs to another Pipeline object.
 */
export async function markPipelineRemoved(
  database: Database,
  name: PipelineName & { uid?: string },
): Promise<{ runningBuilds: number[] }> {
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    const { uid = null } = name;
    const selectId = sql.fragment`SELECT p.id FROM pipelines p JOIN teams t ON t.id = p.team_id
      WHERE t.name = ${name.team} AND p.name = ${name.pipeline} AND p.uid = coalesce(${uid}, p.uid)`;
    await connection.query(
      rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, id::int) FROM (${selectId}) AS named`,
    );
    // During the wait for the lock, the pipeline may have been renamed, or taken over by another object.
    const id = await connection.maybeOneFirst(rows<{ id: number }>()`${selectId}`);
    if (id === null && uid !== null) return { runningBuilds: [] };
    await connection.query(rows()`
      DELETE FROM kept_sources WHERE team = ${name.team} AND pipeline = ${name.pipeline}`);
    if (id === null) return { runningBuilds: [] };
    await endPipeline(connection, id);
    const runningBuilds = await connection.anyFirst(rows<{ id: number }>()`${openBuilds(id)}`);
    return { runningBuilds: [...runningBuilds] };
  });
}

/**
 * SQL: ids of the builds of a pipeline that have not ended. `OFFSET 0` makes Postgres look them up job by
 * job.
 */
const openBuilds = (pipeline: number) => sql.fragment`
      SELECT o.id FROM jobs j CROSS JOIN LATERAL (
        SELECT b.id FROM builds b WHERE b.job_id = j.id AND b.ended_at IS NULL OFFSET 0) AS o
      WHERE j.pipeline_id = ${pipeline} ORDER BY o.id`;

/** Locks the rows that `endPipeline` changes, in the order of other transactions, so that none deadlocks. */
async function lockRows(connection: Transaction, id: number): Promise<void> {
  await connection.query(rows()`
    SELECT 1 FROM check_runs WHERE pipeline_id = ${id} AND cause IN ('version', 'build') AND closed_at IS NULL
    ORDER BY id FOR NO KEY UPDATE`);
  await connection.query(rows()`
    SELECT 1 FROM check_scopes WHERE pipeline_id = ${id} ORDER BY id FOR NO KEY UPDATE`);
  await connection.query(rows()`
    SELECT 1 FROM builds WHERE id = ANY(ARRAY(${openBuilds(id)})) ORDER BY id FOR NO KEY UPDATE`);
  await lockJobs(connection, sql.fragment`SELECT id FROM jobs WHERE pipeline_id = ${id}`);
  await connection.query(rows()`
    SELECT 1 FROM build_notifications n JOIN builds b ON b.id = n.build_id JOIN jobs j ON j.id = b.job_id
    WHERE j.pipeline_id = ${id} AND n.ended_at IS NULL ORDER BY n.id FOR UPDATE OF n`);
}

async function endPipeline(connection: Transaction, id: number): Promise<void> {
  await lockRows(connection, id);
  await connection.query(
    rows()`UPDATE pipelines SET deleted_at = coalesce(deleted_at, now()) WHERE id = ${id}`,
  );
  await connection.query(rows()`
    UPDATE check_scopes SET live = false, requested_at = NULL, requested_cause = NULL
      WHERE pipeline_id = ${id} AND live`);
  await connection.query(rows()`
    WITH closed AS (
      UPDATE check_runs SET closed_at = now() WHERE pipeline_id = ${id} AND cause IN ('version', 'build')
      AND closed_at IS NULL)
    UPDATE hook_runs h SET open = false FROM resources r WHERE r.id = h.resource_id AND r.pipeline_id = ${id}
      AND h.open`);
  await connection.query(rows()`
    UPDATE resources SET deleted_at = now() WHERE pipeline_id = ${id} AND deleted_at IS NULL`);
  await connection.query(rows()`
    UPDATE builds b SET status = 'cancelled', reason = 'Cancelled', message = 'The pipeline was deleted.',
      ended_at = now(),
      wants_pod = false, pending_reason = NULL
    WHERE b.id = ANY(ARRAY(${openBuilds(id)})) AND ${STILL_OPEN}
      AND (b.wants_pod OR (b.admitted_at IS NULL AND b.status IN ('pending', 'waiting')))`);
  await connection.query(rows()`
    DELETE FROM build_notifications n USING builds b, jobs j
    WHERE b.id = n.build_id AND j.id = b.job_id AND j.pipeline_id = ${id} AND n.ended_at IS NULL`);
  await connection.query(rows()`
    UPDATE builds b SET cancel_requested_at = coalesce(b.cancel_requested_at, now())
    WHERE b.id = ANY(ARRAY(${openBuilds(id)})) AND ${STILL_OPEN}`);
  await connection.query(rows()`
    DELETE FROM job_gets g USING jobs j WHERE j.id = g.job_id AND j.pipeline_id = ${id}`);
  await dropMarks(connection, sql.fragment`SELECT id FROM jobs WHERE pipeline_id = ${id}`);
  await connection.query(rows()`
    UPDATE jobs SET deleted_at = now(), last_scheduled = schedule_requested
    WHERE pipeline_id = ${id} AND deleted_at IS NULL`);
}

import { randomUUID } from 'node:crypto';
import type { DatabasePool } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import {
  LOCK,
  rows,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import type { PipelineName } from '#flows/names.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import type { RenameAnswer, RenameRequests, RenameStore, Renaming } from '#flows/pipelines/rename-ports.ts';

export function renameRequests({ pool }: { pool: DatabasePool }): RenameRequests {
  return { requestRename: async (rename, act) => await requestRename(pool, rename, act) };
}

async function requestRename(
  pool: DatabasePool,
  { team, pipeline, uid, to }: PipelineName & { uid: string; to: string },
  { by, at }: AuditedAct,
): Promise<RenameAnswer> {
  return await pool.transaction(async (connection) => {
    const pipelineQuery = rows<{ id: number; teamId: number }>()`
      SELECT p.id, p.team_id AS "teamId" FROM pipelines p JOIN teams t ON t.id = p.team_id
      WHERE t.name = ${team} AND p.name = ${pipeline} AND p.uid = ${uid} AND p.deleted_at IS NULL`;
    const found = await connection.maybeOne(pipelineQuery);
    if (found === null) return { answer: 'unknown' };
    await lockTeamAndPipeline(connection, found);
    if ((await connection.maybeOne(pipelineQuery)) === null) return { answer: 'unknown' };
    const refused = await refusal(connection, found, to);
    if (refused !== undefined) return refused;
    const key = await connection.oneFirst(rows<{ key: string }>()`
      INSERT INTO pipeline_renames AS r (uid, pipeline_id, key, from_name, to_name, asked_by, asked_at)
      VALUES (${uid}, ${found.id}, ${randomUUID()}, ${pipeline}, ${to}, ${by}, ${timestamp(at)})
      ON CONFLICT (uid) DO UPDATE SET to_name = excluded.to_name, asked_by = excluded.asked_by,
        asked_at = excluded.asked_at,
        key = CASE r.to_name WHEN excluded.to_name THEN r.key ELSE excluded.key END
      RETURNING key`);
    return { answer: 'requested', key };
  });
}

interface LockedPipeline {
  id: number;
  teamId: number;
}

/**
 * Locks first the team, so that no build gets its turn meanwhile, and then the pipeline. Always locks in this
 * order, to avoid deadlocks.
 */
async function lockTeamAndPipeline(connection: Transaction, { id, teamId }: LockedPipeline): Promise<void> {
  await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.team}, ${teamId}::int)`);
  await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${id}::int)`);
}

/** Returns why the pipeline cannot get the name `to`; undefined if it can. */
async function refusal(
  connection: Transaction,
  { id, teamId }: LockedPipeline,
  to: string,
): Promise<Extract<RenameAnswer, { answer: 'taken' | 'history' | 'busy' }> | undefined> {
  const otherPipeline = await connection.maybeOne(rows<{ live: boolean }>()`
    SELECT deleted_at IS NULL AS live FROM pipelines WHERE team_id = ${teamId} AND name = ${to}`);
  if (otherPipeline !== null) return { answer: otherPipeline.live ? 'taken' : 'history' };
  const builds = await runningBuilds(connection, id);
  return builds === 0 ? undefined : { answer: 'busy', builds };
}

/**
 * Counts builds that have a Pod or are about to get one. They block the rename, because the Pipeline object
 * of the old name owns the Pod, and the Pod contains that name.
 */
async function runningBuilds(connection: Transaction, pipeline: number): Promise<number> {
  return await connection.oneFirst(rows<{ builds: number }>()`
    SELECT count(*) AS builds FROM builds b JOIN jobs j ON j.id = b.job_id
    WHERE j.pipeline_id = ${pipeline} AND b.admitted_at IS NOT NULL AND b.ended_at IS NULL`);
}

export function renameStore(database: Database): RenameStore {
  const { pool } = database;
  return {
    async renamedTo(uid) {
      const found = await pool.maybeOne(rows<{ pipeline: string; runningChecks: number }>()`
        SELECT p.name AS pipeline, (SELECT count(*) FROM check_runs c WHERE c.pipeline_id = p.id
          AND c.closed_at IS NULL) AS "runningChecks"
        FROM pipeline_renames r JOIN pipelines p ON p.id = r.pipeline_id
        WHERE r.uid = ${uid} AND r.moved_at IS NOT NULL`);
      return found ?? undefined;
    },
    async renameState(renaming) {
      const requested = await pool.maybeOne(requestedRename(renaming));
      if (requested !== null) return requested.moved ? 'done' : 'requested';
      const hasPipeline = await pool.exists(rows()`
        SELECT 1 FROM pipelines p JOIN teams t ON t.id = p.team_id
        WHERE t.name = ${renaming.team} AND p.name = ${renaming.pipeline} AND p.deleted_at IS NULL`);
      return hasPipeline ? 'own' : 'not-requested';
    },
    completeRename: async (renaming, at) =>
      await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        const found = await connection.maybeOne(requestedRename(renaming));
        if (found === null) return { answer: 'not-requested' };
        await lockTeamAndPipeline(connection, found);
        const requested = await connection.maybeOne(requestedRename(renaming));
        if (requested === null) return { answer: 'not-requested' };
        if (requested.moved) return { answer: 'done', id: requested.id };
        const refused = await refusal(connection, requested, renaming.pipeline);
        if (refused !== undefined) return refused;
        await move(connection, requested, renaming, at);
        return { answer: 'done', id: requested.id };
      }),
  };
}

interface RequestedRename extends LockedPipeline {
  moved: boolean;
  by: string;
}

/**
 * Query for the requested rename that this Pipeline object asks to complete. Excludes pipelines that were
 * deleted before the rename.
 */
function requestedRename({ team, pipeline, renamedFrom: { name, uid, key } }: Renaming) {
  return rows<RequestedRename>()`
    SELECT r.pipeline_id AS id, p.team_id AS "teamId", r.moved_at IS NOT NULL AS moved, r.asked_by AS by
    FROM pipeline_renames r JOIN pipelines p ON p.id = r.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE t.name = ${team} AND r.uid = ${uid} AND r.key = ${key} AND r.from_name = ${name} AND r.to_name = ${pipeline}
      AND CASE WHEN r.moved_at IS NULL THEN p.name = r.from_name AND p.deleted_at IS NULL ELSE p.name = r.to_name END`;
}

async function move(
  connection: Transaction,
  { id, by }: RequestedRename,
  { team, pipeline, namespace, uid, renamedFrom }: Renaming,
  at: Date,
): Promise<void> {
  const { name } = renamedFrom;
  await connection.query(rows()`
    UPDATE pipelines SET name = ${pipeline}, namespace = ${namespace}, uid = ${uid} WHERE id = ${id}`);
  await connection.query(rows()`DELETE FROM kept_sources WHERE team = ${team} AND pipeline = ${pipeline}`);
  await connection.query(rows()`
    UPDATE kept_sources SET pipeline = ${pipeline} WHERE team = ${team} AND pipeline = ${name}`);
  await connection.query(rows()`
    UPDATE pipeline_renames SET moved_at = ${timestamp(at)} WHERE uid = ${renamedFrom.uid}`);
  await audit(connection, {
    team,
    actor: by,
    action: 'pipeline.updated',
    targetType: 'pipeline',
    target: pipeline,
    details: { renamed_from: name },
    at,
  });
}

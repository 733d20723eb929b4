import { sql } from 'slonik';
import { logMonth } from '#adapters/database/builds/log-chunks.ts';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { ids, rows, textArray, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { LogStore } from '#flows/builds/limit-logs.ts';

/** The most builds whose logs one transaction removes. */
const MAX_BUILDS = 100;

/** SQL: builds of a team that have logs, with the stored size of these logs in bytes. */
const logsOfTeam = (team: string) => sql.fragment`
  SELECT b.id, b.created_at, b.ended_at, sum(a.stored_log_bytes) AS bytes
  FROM teams t JOIN pipelines p ON p.team_id = t.id JOIN jobs j ON j.pipeline_id = p.id JOIN builds b ON b.job_id = j.id
  JOIN build_attempts a ON a.build_id = b.id AND a.stored_log_bytes > 0
  WHERE t.name = ${team} GROUP BY b.id`;

export function logStore(database: Database): LogStore {
  return {
    async logBytes(team) {
      return await database.pool.oneFirst(rows<{ bytes: number }>()`
        SELECT coalesce(sum(l.bytes), 0) AS bytes FROM (${logsOfTeam(team)}) AS l`);
    },
    async removeOldestLogs(team, limit) {
      return await database.pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        const oldest = await connection.any(rows<{ id: number; createdAt: Date }>()`
          SELECT id, created_at AS "createdAt" FROM (
            SELECT l.*, sum(l.bytes) OVER (ORDER BY l.id DESC) AS so_far FROM (${logsOfTeam(team)}) AS l) AS newest_first
          WHERE so_far > ${limit} AND ended_at IS NOT NULL ORDER BY id LIMIT ${MAX_BUILDS}`);
        await removeLogs(connection, oldest);
        return oldest.length;
      });
    },
  };
}

/** Locks these builds and removes their logs. */
export async function removeLogs(
  connection: Transaction,
  builds: readonly { id: number; createdAt: Date }[],
): Promise<void> {
  if (builds.length === 0) return;
  const buildIds = ids(builds.map(({ id }) => id));
  await connection.query(rows()`SELECT 1 FROM builds WHERE id = ANY(${buildIds}) ORDER BY id FOR UPDATE`);
  await connection.query(rows()`
    DELETE FROM build_logs l USING unnest(${buildIds}, ${textArray(builds.map(({ createdAt }) => logMonth(createdAt)))})
      AS n (build, month) WHERE l.month = n.month::date AND l.build_id = n.build`);
  await connection.query(rows()`
    UPDATE build_attempts SET stored_log_bytes = 0 WHERE build_id = ANY(${buildIds}) AND stored_log_bytes > 0`);
}

import { sql } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, type Database } from '#adapters/database/connection/pool.ts';
import { audit } from '#adapters/database/people/audit-store.ts';
import type { Definitions } from '#adapters/database/revisions/definitions.ts';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { StoredCache } from '#domain/planning/list-cache-volumes.ts';
import type { KnownCache, PipelineCaches, RemovableCaches } from '#flows/pipelines/cache-ports.ts';

type StoredRow = { [Key in keyof StoredCache]-?: StoredCache[Key] | null } & { resource: string };

export function pipelineCaches({
  pool,
  definitions,
}: Database & { definitions: Definitions }): PipelineCaches {
  return {
    async cachesOf({ team, pipeline }) {
      const found = await pool.maybeOne(rows<{ id: number; revision: number }>()`
        SELECT p.id, v.id AS revision FROM pipelines p
        JOIN teams t ON t.id = p.team_id JOIN revisions v ON v.pipeline_id = p.id AND v.number = p.revision
        WHERE t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL`);
      if (found === null) return undefined;
      const { id, revision } = found;
      const definition = (await definitions.of(pool, [revision])).get(revision);
      if (definition === undefined) return undefined;
      const stored = await pool.any(rows<StoredRow>()`
        SELECT k.resource, k.bytes, k.used_at AS "usedAt", coalesce((
            SELECT jsonb_build_object('job', ${jobNameIn(sql.fragment`b.revision_id`)},
              'number', CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END)
            FROM cache_uses u JOIN builds b ON b.id = u.build_id AND b.attempt = u.attempt AND b.ended_at IS NULL
              JOIN jobs j ON j.id = b.job_id
            WHERE u.cache_id = k.id AND u.reason IS NULL ORDER BY u.id DESC LIMIT 1), (
            SELECT '"check"'::jsonb FROM cache_uses u JOIN check_runs c ON c.id = u.run_id AND c.closed_at IS NULL
            WHERE u.cache_id = k.id AND u.reason IS NULL LIMIT 1)) AS "usedBy", (
            SELECT u.message FROM cache_uses u WHERE u.cache_id = k.id AND u.generation = k.generation
            ORDER BY u.id DESC LIMIT 1) AS "leftOut"
        FROM caches k WHERE k.pipeline_id = ${id} AND EXISTS (
          SELECT 1 FROM cache_uses u WHERE u.cache_id = k.id AND u.generation = k.generation)`);
      return { definition, stored: stored.map((row) => withoutNulls(row)) };
    },
    clearCache: async ({ team, pipeline, resource }, { by, at }) =>
      await pool.transaction(async (connection) => {
        const cleared = await connection.maybeOneFirst(rows<{ id: number }>()`
          UPDATE caches k SET generation = generation + 1, bytes = NULL, used_at = NULL
          FROM pipelines p JOIN teams t ON t.id = p.team_id
          WHERE k.pipeline_id = p.id AND t.name = ${team} AND p.name = ${pipeline} AND p.deleted_at IS NULL
            AND k.resource = ${resource} AND k.used_at IS NOT NULL RETURNING k.id`);
        if (cleared === null) return false;
        const target = `${pipeline}/${resource}`;
        await audit(connection, {
          team,
          actor: by,
          at,
          action: 'cache.cleared',
          targetType: 'cache',
          target,
        });
        return true;
      }),
  };
}

export function removableCaches(database: Database): RemovableCaches {
  const { pool } = database;
  return {
    async knownCaches() {
      // `resource` is the name of a resource, or `<job>:<cache>` for a cache of a job.
      const known = await pool.any(rows<KnownCache>()`
        SELECT k.id AS cache, k.generation, k.resource, p.id AS "pipelineId", p.namespace, p.name AS pipeline,
          EXISTS (SELECT 1 FROM revisions v WHERE v.pipeline_id = p.id AND v.number = p.revision
            AND (v.definition -> 'resources'
                @> jsonb_build_array(jsonb_build_object('name', k.resource, 'cache', true))
              OR v.definition -> 'jobs'
                @> jsonb_build_array(jsonb_build_object('name', split_part(k.resource, ':', 1),
                  'steps', jsonb_build_array(jsonb_build_object('cache', split_part(k.resource, ':', 2))))))) AS wanted,
          ${USED} AS used
        FROM caches k JOIN pipelines p ON p.id = k.pipeline_id WHERE p.deleted_at IS NULL ORDER BY k.id`);
      return [...known];
    },
    async removeCaches(caches) {
      await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        await connection.query(rows()`
          SELECT 1 FROM caches WHERE id = ANY(${ids(caches)}) ORDER BY id FOR UPDATE`);
        await connection.query(rows()`DELETE FROM caches k WHERE id = ANY(${ids(caches)}) AND NOT ${USED}`);
      });
    },
  };
}

/**
 * SQL condition: a build or check that has not ended mounts the cache `k`. Ignores rows of `cache_uses` with
 * a `reason`: they record Pods that run without the cache.
 */
const USED = sql.fragment`(
  EXISTS (SELECT 1 FROM cache_uses u JOIN builds b ON b.id = u.build_id AND b.attempt = u.attempt
    WHERE u.cache_id = k.id AND u.reason IS NULL AND b.ended_at IS NULL)
  OR EXISTS (SELECT 1 FROM cache_uses u JOIN check_runs c ON c.id = u.run_id
    WHERE u.cache_id = k.id AND u.reason IS NULL AND c.closed_at IS NULL))`;

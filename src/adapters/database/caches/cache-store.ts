import { sql, type FragmentSqlToken } from 'slonik';
import { holdEpoch, withEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import {
  ids,
  rows,
  textArray,
  timestamp,
  type Database,
  type Transaction,
} from '#adapters/database/connection/pool.ts';
import { jobNameIn } from '#adapters/database/revisions/names-in-revision.ts';
import type { CacheUse } from '#domain/planning/cache-volumes.ts';
import type { CacheFacts, CacheState } from '#domain/planning/decide-cache-volumes.ts';
import type { CacheStore, CacheUser } from '#flows/pods/cache-ports.ts';
import { cacheUsesWhere } from './cache-uses.ts';

/**
 * SQL pattern of the reason or error of attempts and check runs that ended because a cache's volume was not
 * ready.
 */
const CACHE_UNAVAILABLE = 'CacheUnavailable:%';

export function cacheStore(database: Database): CacheStore {
  return {
    async withCaches(user, resources, work) {
      return await database.pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        const cacheIds = await lockCaches(connection, user.pipelineId, resources);
        return await work({
          uses: async () => await usesOf(connection, user),
          facts: async () => await factsOf(connection, user, cacheIds),
          use: async (uses, at) => await insertUses(connection, user, { uses, at }),
        });
      });
    },
    async releaseCaches(user) {
      const release = rows()`DELETE FROM cache_uses u WHERE ${ofUser(user)}`;
      await withEpoch(database, async (connection) => await connection.query(release));
    },
    async leaveOut(user, { cache, leftOut }) {
      const write = rows()`
        UPDATE cache_uses u SET reason = ${leftOut?.reason ?? null}, message = ${leftOut?.message ?? null}
        WHERE ${ofUser(user)} AND u.cache_id = ${cache}`;
      await withEpoch(database, async (connection) => await connection.query(write));
    },
  };
}

/**
 * Adds the missing caches of these resources, and locks all their caches until the transaction ends. Returns
 * their row ids.
 */
async function lockCaches(
  connection: Transaction,
  pipeline: number,
  resources: readonly string[],
): Promise<number[]> {
  await connection.query(rows()`
    INSERT INTO caches (pipeline_id, resource)
    SELECT ${pipeline}, name FROM unnest(${textArray(resources)}) AS name ORDER BY name
    ON CONFLICT DO NOTHING`);
  const cacheIds = await connection.anyFirst(rows<{ id: number }>()`
    SELECT id FROM caches WHERE pipeline_id = ${pipeline} AND resource = ANY(${textArray(resources)})
    ORDER BY id FOR NO KEY UPDATE`);
  return [...cacheIds];
}

/** SQL condition: the cache use `u` belongs to this attempt or check run. */
function ofUser(user: CacheUser): FragmentSqlToken {
  return 'run' in user
    ? sql.fragment`u.run_id = ${user.run}`
    : sql.fragment`u.build_id = ${user.build} AND u.attempt = ${user.attempt}`;
}

async function usesOf(connection: Transaction, user: CacheUser): Promise<CacheUse[]> {
  const found = await connection.oneFirst(rows<{ uses: CacheUse[] | null }>()`
    SELECT ${cacheUsesWhere(ofUser(user))} AS uses`);
  return found ?? [];
}

interface StateRow extends Omit<CacheState, 'usedBy' | 'failedAt'> {
  /** The build that mounts the cache. */
  build: { job: string; number: string } | null;
  usedByCheck: boolean;
  failedAt: Date | null;
}

async function factsOf(
  connection: Transaction,
  user: CacheUser,
  cacheIds: readonly number[],
): Promise<CacheFacts> {
  const found = await connection.any(rows<StateRow>()`
    SELECT k.id AS cache, k.generation, k.resource, k.used_at IS NOT NULL AS "hasVolume", (
        SELECT jsonb_build_object('job', ${jobNameIn(sql.fragment`b.revision_id`)},
          'number', CASE b.retry WHEN 0 THEN b.number::text ELSE b.number || '.' || b.retry END)
        FROM cache_uses u JOIN builds b ON b.id = u.build_id AND b.attempt = u.attempt AND b.ended_at IS NULL
          JOIN jobs j ON j.id = b.job_id
        WHERE u.cache_id = k.id AND u.generation = k.generation AND u.reason IS NULL LIMIT 1) AS build,
      EXISTS (SELECT 1 FROM cache_uses u JOIN check_runs c ON c.id = u.run_id AND c.closed_at IS NULL
        WHERE u.cache_id = k.id AND u.generation = k.generation AND u.reason IS NULL) AS "usedByCheck", (
        SELECT max(coalesce(a.ended_at, c.closed_at)) FROM cache_uses u
          LEFT JOIN build_attempts a ON a.build_id = u.build_id AND a.attempt = u.attempt
          LEFT JOIN check_runs c ON c.id = u.run_id
        WHERE u.cache_id = k.id AND u.generation = k.generation AND u.reason IS NULL
          AND coalesce(a.reason, c.error) LIKE ${CACHE_UNAVAILABLE}) AS "failedAt"
    FROM caches k WHERE k.id = ANY(${ids(cacheIds)}) ORDER BY k.resource`);
  const caches = found.map(({ build, usedByCheck, failedAt, ...state }) => {
    const check = usedByCheck ? ('check' as const) : null;
    return { ...state, ...withoutNulls({ usedBy: build ?? check, failedAt }) };
  });
  const volumes = await connection.oneFirst(rows<{ volumes: number }>()`
    SELECT count(*) AS volumes FROM pipelines own JOIN pipelines p ON p.team_id = own.team_id
      JOIN caches k ON k.pipeline_id = p.id
    WHERE own.id = ${user.pipelineId} AND k.used_at IS NOT NULL`);
  return { caches, volumes, ...(await factsOfBuild(connection, user)) };
}

async function factsOfBuild(
  connection: Transaction,
  user: CacheUser,
): Promise<Pick<CacheFacts, 'fork' | 'waited'>> {
  if ('run' in user) return { fork: false, waited: false };
  return await connection.one(rows<{ fork: boolean; waited: boolean }>()`
    SELECT EXISTS (SELECT 1 FROM build_inputs i JOIN versions v ON v.id = i.version_id
        WHERE i.build_id = ${user.build} AND v.fields ->> 'fork' = 'true') AS fork,
      EXISTS (SELECT 1 FROM build_attempts WHERE build_id = ${user.build} AND reason LIKE ${CACHE_UNAVAILABLE})
        AS waited`);
}

async function insertUses(
  connection: Transaction,
  user: CacheUser,
  { uses, at }: { uses: readonly CacheUse[]; at: Date },
): Promise<void> {
  const [build, attempt, run] = 'run' in user ? [null, null, user.run] : [user.build, user.attempt, null];
  for (const { cache, generation, leftOut } of uses)
    await connection.query(rows()`
      INSERT INTO cache_uses (cache_id, generation, build_id, attempt, run_id, reason, message, used_at)
      VALUES (${cache}, ${generation}, ${build}, ${attempt}, ${run}, ${leftOut?.reason ?? null},
        ${leftOut?.message ?? null}, ${timestamp(at)})`);
  const mounted = uses.filter(({ leftOut }) => leftOut === undefined).map(({ cache }) => cache);
  await connection.query(
    rows()`UPDATE caches SET used_at = ${timestamp(at)} WHERE id = ANY(${ids(mounted)})`,
  );
}

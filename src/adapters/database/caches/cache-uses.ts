import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/** SQL: the cache uses `u` that meet the condition, as JSON; null if there are none. */
export function cacheUsesWhere(condition: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
    SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('cache', k.id, 'generation', u.generation,
      'resource', k.resource, 'leftOut', CASE WHEN u.reason IS NOT NULL
        THEN jsonb_build_object('reason', u.reason, 'message', u.message) END)) ORDER BY k.resource)
    FROM cache_uses u JOIN caches k ON k.id = u.cache_id WHERE ${condition})`;
}

/**
 * Stores the sizes of the attempt's caches. Skips caches that the attempt does not mount, and caches that
 * people have cleared since the attempt mounted them.
 */
export async function writeCacheSizes(
  connection: Transaction,
  { build, attempt }: { build: number; attempt: number },
  sizes: readonly { resource: string; bytes: number }[],
): Promise<void> {
  if (sizes.length === 0) return;
  await connection.query(rows()`
    WITH locked AS MATERIALIZED (
      SELECT k.id, n.bytes FROM cache_uses u JOIN caches k ON k.id = u.cache_id AND k.generation = u.generation
      JOIN jsonb_to_recordset(${sql.jsonb(sizes.map(({ resource, bytes }) => ({ resource, bytes })))})
        AS n (resource text, bytes bigint) ON n.resource = k.resource
      WHERE u.build_id = ${build} AND u.attempt = ${attempt} AND u.reason IS NULL
      ORDER BY k.id FOR NO KEY UPDATE OF k)
    UPDATE caches k SET bytes = l.bytes FROM locked l WHERE k.id = l.id`);
}

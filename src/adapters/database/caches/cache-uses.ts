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
  for (const { resource, bytes } of sizes)
    await connection.query(rows()`
      UPDATE caches k SET bytes = ${bytes} FROM cache_uses u
      WHERE u.cache_id = k.id AND u.generation = k.generation AND u.build_id = ${build} AND u.attempt = ${attempt}
        AND u.reason IS NULL AND k.resource = ${resource}`);
}

import { sql } from 'slonik';
import { withEpoch } from '#adapters/database/connection/fence.ts';
import { prepared, rows, type Database } from '#adapters/database/connection/pool.ts';

/**
 * How many builds whose Pods were refused are tried again when a Pod ends. Usually a quota refused them, and
 * the ended Pod makes room for about one of them. The others are tried because the first may need more room.
 */
const MAX_RETRIED_BUILDS = 4;

/**
 * SQL pattern of pending reasons that stay true when a Pod ends: the tags of the build are not allowed or
 * conflict.
 */
const WAITS_FOR_TAGS = 'Tag%';

const JOIN_PIPELINE = sql.fragment`JOIN jobs j ON j.id = b.job_id JOIN pipelines p ON p.id = j.pipeline_id`;

export async function nextStartMs({ pool }: Database): Promise<number | undefined> {
  const ms = await pool.oneFirst(prepared<{ ms: number | null }>('next_start')`
    SELECT ceil(extract(epoch FROM min(start_after) - now()) * 1000)::integer AS ms FROM builds
    WHERE wants_pod AND start_after > now()`);
  return ms ?? undefined;
}

export async function explainFull(database: Database, namespace: string, reason: string): Promise<void> {
  const explain = rows()`
    UPDATE builds SET pending_reason = ${reason} WHERE id = ANY(ARRAY(
      SELECT b.id FROM builds b ${JOIN_PIPELINE} WHERE b.wants_pod AND p.namespace = ${namespace}
        AND (b.start_after IS NULL OR b.start_after <= now()) AND b.pending_reason IS DISTINCT FROM ${reason}
      ORDER BY b.id FOR NO KEY UPDATE OF b))`;
  await withEpoch(database, async (connection) => await connection.query(explain));
}

export async function tryRefused(database: Database, namespace: string): Promise<number> {
  const tryFirst = rows<{ left: number }>()`
    WITH refused AS (
      SELECT b.id, row_number() OVER (ORDER BY b.id) AS place FROM builds b ${JOIN_PIPELINE}
      WHERE b.wants_pod AND b.start_refusals > 0 AND b.start_after > now() AND p.namespace = ${namespace}
        AND b.pending_reason NOT LIKE ${WAITS_FOR_TAGS}),
    tried AS (
      UPDATE builds SET start_after = NULL WHERE id = ANY(ARRAY(
        SELECT b.id FROM builds b WHERE b.wants_pod AND b.id IN (
          SELECT id FROM refused WHERE place <= ${MAX_RETRIED_BUILDS})
        ORDER BY b.id FOR NO KEY UPDATE OF b)))
    SELECT count(*) AS left FROM refused WHERE place > ${MAX_RETRIED_BUILDS}`;
  return await withEpoch(database, async (connection) => await connection.oneFirst(tryFirst));
}

export async function tryAllRefused(database: Database, namespace: string): Promise<boolean> {
  const tryAll = rows<{ tried: number }>()`
    WITH tried AS (
      UPDATE builds SET start_after = NULL WHERE id = ANY(ARRAY(
        SELECT b.id FROM builds b ${JOIN_PIPELINE}
        WHERE b.wants_pod AND b.start_refusals > 0 AND b.start_after > now() AND p.namespace = ${namespace}
        ORDER BY b.id FOR NO KEY UPDATE OF b))
      RETURNING 1)
    SELECT count(*)::integer AS tried FROM tried`;
  return (await withEpoch(database, async (connection) => await connection.oneFirst(tryAll))) > 0;
}

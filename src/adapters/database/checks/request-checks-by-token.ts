import { sql, type DatabasePool } from 'slonik';
import { prepared, rows, timestamp } from '#adapters/database/connection/pool.ts';
import type { WebhookCall, WebhooksAnswered } from '#flows/checks/ports.ts';
import type { ResourceName } from '#flows/names.ts';

/**
 * Requests a check for each resource whose token matches, for any number of calls in one transaction. A call
 * gets `busy` if another transaction has locked its resource; with `wait`, the statement waits for that lock.
 * A call changes nothing if a person or another webhook has requested the check and the check has not begun.
 * The statement always writes a message (`noise`) into the write-ahead log of Postgres, so that unknown
 * tokens take as long as known ones. All calls go in as two texts and all answers come back as one row,
 * because with many rows the driver would take longer than Postgres takes for the query. In the query,
 * `place` is the position of a call among all calls, and `taken` says that its signature suffices.
 */
export async function requestChecksByToken(
  pool: DatabasePool,
  { calls, wait }: { calls: readonly WebhookCall[]; wait: boolean },
  at: Date,
): Promise<WebhooksAnswered> {
  const hashes = calls.map(({ tokenHash }) => tokenHash).join(',');
  const signatures = calls.map(({ signature }) => signature).join(',');
  return await pool.one(prepared<WebhooksAnswered>(`request_checks_by_token_${wait}`)`
    WITH known AS MATERIALIZED (
      SELECT c.place, k.scope, k.requested, c.signature = 'valid' OR (c.signature = 'absent' AND NOT k.signed) AS taken
      FROM unnest(string_to_array(${hashes}, ','),
        string_to_array(${signatures}, ',')) WITH ORDINALITY AS c (hash, signature, place)
      LEFT JOIN LATERAL (
        SELECT s.id AS scope, NOT ${NOT_REQUESTED} AS requested, r.webhook_signed AS signed
        FROM resources r
        JOIN pipelines p ON p.id = r.pipeline_id AND p.deleted_at IS NULL
        JOIN check_scopes s ON s.id = r.scope_id AND s.live AND s.checked_by <> 'nothing'
        WHERE r.webhook_hash = c.hash AND r.deleted_at IS NULL LIMIT 1) AS k ON true),
    wanting AS MATERIALIZED (
      SELECT s.id FROM check_scopes s
      WHERE s.id IN (SELECT scope FROM known WHERE taken AND NOT requested) AND ${NOT_REQUESTED} ORDER BY s.id
      FOR UPDATE ${wait ? sql.fragment`` : sql.fragment`SKIP LOCKED`}),
    changed AS (
      UPDATE check_scopes s SET requested_at = coalesce(s.requested_at, ${timestamp(at)}), requested_cause = 'webhook'
      FROM wanting w WHERE s.id = w.id RETURNING s.id),
    noise AS MATERIALIZED (SELECT pg_logical_emit_message(true, 'millrace', '') AS written)
    SELECT array_agg(CASE WHEN k.scope IS NULL THEN 'unknown' WHEN NOT k.taken THEN 'refused'
        WHEN k.requested OR c.id IS NOT NULL THEN 'requested' ELSE 'busy' END ORDER BY k.place) AS answers,
      count(c.id) > 0 AS written
    FROM known k LEFT JOIN changed c ON c.id = k.scope, noise`);
}

/**
 * SQL condition: a check of scope `s` is not requested, or only by its timer. A webhook replaces the cause of
 * such a request, so that the check resets the timer. A request of a person or webhook keeps its cause,
 * because its check resets the timer anyway.
 */
const NOT_REQUESTED = sql.fragment`(s.requested_at IS NULL OR coalesce(s.requested_cause, 'schedule') = 'schedule')`;

export async function resourceOfToken(
  pool: DatabasePool,
  tokenHash: string,
): Promise<ResourceName | undefined> {
  const found = await pool.maybeOne(rows<ResourceName>()`
    SELECT t.name AS team, p.name AS pipeline, r.name AS resource
    FROM resources r JOIN pipelines p ON p.id = r.pipeline_id AND p.deleted_at IS NULL JOIN teams t ON t.id = p.team_id
    WHERE r.webhook_hash = ${tokenHash} AND r.deleted_at IS NULL LIMIT 1`);
  return found ?? undefined;
}

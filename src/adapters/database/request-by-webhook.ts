import { sql, type DatabasePool } from 'slonik';
import type { WebhookAnswer, WebhookCall, WebhooksAnswered } from '#flows/check-ports.ts';
import { prepared, texts, time } from './pool.ts';

/** A webhook whose resource there is, or, without a hash, a resource that is asked for a check by this. */
interface Row {
  hash: string | null;
  signature: WebhookCall['signature'];
  scope: number;
  /** By its signature. */
  taken: boolean;
  asked: boolean;
}

/**
 * Any number of webhooks in one transaction: whoever finds its resource is asked for a check, once. A resource that somebody else holds is
 * `busy` and holds up none of the others, unless it is waited for. What is requested already is durable, and its check has yet to begin.
 * Something is always written, so that a token that nobody has takes as long to answer as one that somebody has.
 */
export async function requestByWebhook(
  pool: DatabasePool,
  { calls, wait }: { calls: readonly WebhookCall[]; wait: boolean },
  at: Date,
): Promise<WebhooksAnswered> {
  const found = await pool.any(prepared<Row>(`request_by_webhook_${wait}`)`
    WITH known AS MATERIALIZED (
      SELECT c.hash, c.signature, s.id AS scope, NOT ${NOT_ASKED} AS asked,
        c.signature = 'valid' OR (c.signature = 'absent' AND NOT r.webhook_signed) AS taken
      FROM unnest(${texts(calls.map(({ tokenHash }) => tokenHash))}, ${texts(calls.map(({ signature }) => signature))}) AS c (hash, signature)
      JOIN resources r ON r.webhook_hash = c.hash AND r.deleted_at IS NULL
      JOIN pipelines p ON p.id = r.pipeline_id AND p.deleted_at IS NULL
      JOIN check_scopes s ON s.id = r.scope_id AND s.live AND s.checked_by <> 'nothing'),
    wanting AS MATERIALIZED (
      SELECT s.id FROM check_scopes s
      WHERE s.id IN (SELECT scope FROM known WHERE taken AND NOT asked) AND ${NOT_ASKED} ORDER BY s.id
      FOR UPDATE ${wait ? sql.fragment`` : sql.fragment`SKIP LOCKED`}),
    changed AS (
      UPDATE check_scopes s SET requested_at = coalesce(s.requested_at, ${time(at)}), requested_cause = 'webhook'
      FROM wanting w WHERE s.id = w.id RETURNING s.id),
    noise AS MATERIALIZED (SELECT pg_logical_emit_message(true, 'millrace', '') AS written)
    SELECT hash, signature, scope, taken, asked FROM known
    UNION ALL SELECT NULL, 'absent', id, true, true FROM changed
    UNION ALL SELECT NULL, 'absent', 0, true, true FROM noise`);
  const changed = new Set(found.flatMap(({ hash, scope }) => (hash === null ? [scope] : [])));
  const answers = new Map(
    found.map((row) => [`${row.signature} ${row.hash}`, answerOf(row, changed.has(row.scope))]),
  );
  return {
    answers: calls.map(({ tokenHash, signature }) => answers.get(`${signature} ${tokenHash}`) ?? 'unknown'),
    // Beside the noise, which is of nobody.
    written: changed.size > 1,
  };
}

function answerOf({ taken, asked }: Row, changed: boolean): WebhookAnswer {
  if (!taken) return 'refused';
  return asked || changed ? 'requested' : 'busy';
}

/** A cause of a person or a webhook stays, since it resets the timer as well. */
const NOT_ASKED = sql.fragment`(s.requested_at IS NULL OR coalesce(s.requested_cause, 'schedule') = 'schedule')`;

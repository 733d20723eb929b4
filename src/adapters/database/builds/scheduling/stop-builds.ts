import { sql, type FragmentSqlToken } from 'slonik';
import { timestamp } from '#adapters/database/connection/pool.ts';

interface Ending {
  by?: string | null;
  /** The message of the ended build: a text, or SQL that computes it per build. */
  message: string | FragmentSqlToken;
  /** SQL of the reason, `Cancelled` by default. */
  reason?: FragmentSqlToken;
  at: Date;
}

/**
 * SQL condition: the build has not ended. For queries that find builds by id. In this form, Postgres looks up
 * each id. With a plain `ended_at IS NULL`, it may read the index of all open builds instead, because it
 * estimates that hardly any build is open.
 */
export const STILL_OPEN = sql.fragment`(ended_at IS NULL) IS TRUE`;

const CANCELLED = sql.fragment`'Cancelled'`;

/**
 * SQL: an UPDATE that stops builds. A build that has not started ends here, without hooks, since no step of
 * its current attempt has run. A running build is marked for cancellation, and its agent ends it. The caller
 * holds the pipeline's lock, which must be taken before rows of builds are locked. `condition`: SQL that
 * selects builds by id.
 */
export function stopBuilds(
  condition: FragmentSqlToken,
  { by = null, message, reason = CANCELLED, at }: Ending,
): FragmentSqlToken {
  const started = sql.fragment`builds.status = 'started'`;
  return sql.fragment`
      UPDATE builds SET cancelled_by = coalesce(builds.cancelled_by, ${by}),
        cancel_reason = coalesce(builds.cancel_reason, ${message}),
        cancel_requested_at = coalesce(builds.cancel_requested_at, ${timestamp(at)}),
        status = CASE WHEN ${started} THEN builds.status ELSE 'cancelled' END,
        ended_at = CASE WHEN ${started} THEN NULL ELSE ${timestamp(at)} END,
        reason = CASE WHEN ${started} THEN builds.reason ELSE ${reason} END,
        message = CASE WHEN ${started} THEN builds.message ELSE ${message} END,
        wants_pod = wants_pod AND ${started}, held = NULL, pending_reason = NULL
      WHERE id = ANY(ARRAY(SELECT id FROM builds WHERE ${condition} AND ${STILL_OPEN} ORDER BY id FOR UPDATE))
      RETURNING builds.id, builds.job_id, builds.status`;
}

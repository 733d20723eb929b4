import { sql } from 'slonik';
import { QUEUED } from '#domain/scheduling/queue-limits.ts';

/**
 * SQL: why the build `b` has not started, as `QuotaExceeded: …`. Null if its Pod is about to start, and if
 * the build waits for approval. Only the oldest queued builds of a job have a stored reason; the others get
 * `QUEUED`.
 */
export const pendingReason = sql.fragment`coalesce(b.pending_reason,
    CASE WHEN b.admitted_at IS NULL AND b.status = 'pending' THEN ${QUEUED}::text END)`;

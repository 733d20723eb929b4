import { sql } from 'slonik';
import { QUEUED } from '#domain/scheduling/queue-limits.ts';

/**
 * SQL: why the build `b` has not started, as `QuotaExceeded: …`. Null if its Pod is about to start. Of each
 * job, only the oldest queued builds have a stored reason.
 */
export const pendingReason = sql.fragment`coalesce(b.pending_reason,
    CASE WHEN b.admitted_at IS NULL AND b.status = 'pending' THEN ${QUEUED}::text END)`;

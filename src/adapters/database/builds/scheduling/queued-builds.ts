import { sql, type FragmentSqlToken } from 'slonik';
import { MAX_QUEUED_BUILDS } from '#domain/scheduling/queue-limits.ts';

/** SQL: the number of builds of a pipeline that have not started, counted up to the limit. */
export const queuedBuilds = (pipeline: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
  SELECT count(*) FROM (
    SELECT 1 FROM jobs qj JOIN builds qb ON qb.job_id = qj.id
    WHERE qj.pipeline_id = ${pipeline} AND qb.ended_at IS NULL AND qb.status IN ('pending', 'waiting')
    LIMIT ${MAX_QUEUED_BUILDS}) AS queued)`;

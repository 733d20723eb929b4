import { sql, type FragmentSqlToken } from 'slonik';
import { MAX_QUEUED_BUILDS } from '#domain/scheduling/queue-limits.ts';

/**
 * SQL: the number of builds of a pipeline that have not started, counted up to the limit. The inner limit
 * makes Postgres look up the builds of each job. Without it, Postgres may read the open builds of all teams
 * once per job: most builds have ended, so it estimates that few are open.
 */
export const queuedBuilds = (pipeline: FragmentSqlToken): FragmentSqlToken => sql.fragment`(
  SELECT count(*) FROM (
    SELECT 1 FROM jobs qj CROSS JOIN LATERAL (
      SELECT 1 FROM builds qb
      WHERE qb.job_id = qj.id AND qb.ended_at IS NULL AND qb.status IN ('pending', 'waiting')
      LIMIT ${MAX_QUEUED_BUILDS}) AS of_job
    WHERE qj.pipeline_id = ${pipeline} LIMIT ${MAX_QUEUED_BUILDS}) AS queued)`;

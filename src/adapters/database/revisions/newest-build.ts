import { sql, type FragmentSqlToken } from 'slonik';

/**
 * SQL: what selects the newest build `b` of a job. The job is compared as a range of one, never with `=`,
 * which Postgres would drop from the ORDER BY. It might then walk the primary key through the builds of all
 * jobs, which is slow for a job that has not run for long.
 */
export const newestBuildOf = (job: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`b.job_id BETWEEN ${job} AND ${job} ORDER BY b.job_id, b.id DESC LIMIT 1`;

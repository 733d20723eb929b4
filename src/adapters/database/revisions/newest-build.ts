import { sql, type FragmentSqlToken } from 'slonik';

/**
 * SQL: condition, order and limit that select the newest build `b` of a job. The job is compared as a range
 * of one value, never with `=`. With `=`, Postgres would drop the job from the ORDER BY and might walk the
 * primary key through the builds of all jobs. That is slow for a job that has not run for a long time.
 */
export const newestBuildOf = (job: FragmentSqlToken): FragmentSqlToken =>
  sql.fragment`b.job_id BETWEEN ${job} AND ${job} ORDER BY b.job_id, b.id DESC LIMIT 1`;

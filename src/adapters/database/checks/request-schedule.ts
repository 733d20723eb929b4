import { sql, type FragmentSqlToken } from 'slonik';

/**
 * SQL: an UPDATE that requests a decision on these jobs. It locks rows in order of id, so that two requests
 * cannot deadlock.
 */
export function requestSchedule(jobs: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
    UPDATE jobs SET schedule_requested = schedule_requested + 1
    WHERE id IN (SELECT id FROM jobs WHERE id IN (${jobs}) AND deleted_at IS NULL ORDER BY id FOR UPDATE)
      RETURNING jobs.id`;
}

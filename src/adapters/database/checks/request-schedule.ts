import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

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

/**
 * Locks these jobs in order of id, until the transaction ends. A transaction that changes several jobs, or
 * gets or versions of jobs, calls it first, because transactions that record versions lock jobs, then gets,
 * then versions.
 */
export async function lockJobs(connection: Transaction, jobs: FragmentSqlToken): Promise<void> {
  await connection.query(rows()`
    SELECT 1 FROM jobs WHERE id IN (${jobs}) ORDER BY id FOR NO KEY UPDATE`);
}

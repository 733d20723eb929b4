import { sql, type DatabasePool } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/**
 * How long the drop of a table may wait for its lock, since writers of logs must wait behind it. After that,
 * the next run tries again.
 */
const MAX_LOCK_WAIT = '500ms';

/**
 * Drops the log tables of past months that are empty. Logs are in the table of the month in which their build
 * was created, so an empty table stays empty once all builds of its month have ended. Returns the names of
 * the dropped tables.
 */
export async function dropEmptyLogPartitions(pool: DatabasePool, now: Date): Promise<string[]> {
  const dropped: string[] = [];
  for (const { name, end } of await pastMonths(pool, now)) {
    if (!(await isDroppable(pool, name, end))) continue;
    if (await dropIfEmpty(pool, name, end)) dropped.push(name);
  }
  return dropped;
}

interface Month {
  name: string;
  /** The first day of the next month. */
  end: string;
}

/** Excludes a month that ended less than a day ago: a transaction of that month may still be open. */
async function pastMonths(pool: DatabasePool, now: Date): Promise<readonly Month[]> {
  return await pool.any(rows<Month>()`
    SELECT name, "end"::text FROM (
      SELECT c.relname AS name, (to_date(right(c.relname, 7), 'YYYY_MM') + interval '1 month')::date AS "end"
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = 'build_logs'::regclass AND c.relname ~ '^build_logs_\\d{4}_\\d{2}$') AS months
    WHERE "end" <= (${now.toISOString()}::timestamptz - interval '1 day')::date ORDER BY name`);
}

async function isDroppable(
  connection: Transaction | DatabasePool,
  name: string,
  end: string,
): Promise<boolean> {
  return await connection.oneFirst(rows<{ droppable: boolean }>()`
    SELECT NOT EXISTS (SELECT 1 FROM ${sql.identifier([name])})
      AND NOT EXISTS (SELECT 1 FROM builds WHERE ended_at IS NULL AND created_at < ${end}::date) AS droppable`);
}

/**
 * Locks the parent table, which writers of logs lock too, so that nobody inserts a log before the drop.
 * Returns false if the table has logs, if a build of that month or an earlier one has not ended, or if the
 * lock takes too long.
 */
async function dropIfEmpty(pool: DatabasePool, name: string, end: string): Promise<boolean> {
  try {
    return await pool.transaction(async (connection) => {
      await connection.query(rows()`SELECT set_config('lock_timeout', ${MAX_LOCK_WAIT}, true)`);
      await connection.query(sql.unsafe`LOCK TABLE build_logs IN ACCESS EXCLUSIVE MODE`);
      if (!(await isDroppable(connection, name, end))) return false;
      await connection.query(sql.unsafe`DROP TABLE IF EXISTS ${sql.identifier([name])}`);
      return true;
    });
  } catch (error) {
    if (isLockTimeout(error)) return false;
    throw error;
  }
}

const LOCK_NOT_AVAILABLE = '55P03';

function isLockTimeout(error: unknown): boolean {
  const cause: unknown = Error.isError(error) ? (error.cause ?? error) : error;
  return Error.isError(cause) && 'code' in cause && cause.code === LOCK_NOT_AVAILABLE;
}

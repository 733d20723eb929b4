import type { DatabasePool } from 'slonik';
import { LOCK, rows, type Transaction } from '#adapters/database/connection/pool.ts';

/**
 * One change of accounts, members or ways to sign in at a time, for the whole installation: what one of them
 * looked at before it wrote still holds when it commits. They are rare.
 */
export async function inTurn<T>(
  pool: DatabasePool,
  change: (connection: Transaction) => Promise<T>,
): Promise<T> {
  return await pool.transaction(async (connection) => {
    await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.access}, 0)`);
    return await change(connection);
  });
}

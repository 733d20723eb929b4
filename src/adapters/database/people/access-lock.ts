import type { DatabasePool } from 'slonik';
import { LOCK, rows, type Transaction } from '#adapters/database/connection/pool.ts';

/**
 * Makes changes of accounts, members and sign-in methods run one after another in the whole installation. So
 * the facts that a change has read still hold when it commits. One lock suffices, because such changes are
 * rare.
 */
export async function withAccessLock<T>(
  pool: DatabasePool,
  change: (connection: Transaction) => Promise<T>,
): Promise<T> {
  return await pool.transaction(async (connection) => {
    await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.access}, 0)`);
    return await change(connection);
  });
}

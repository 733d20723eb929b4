import { sql, type CommonQueryMethods } from 'slonik';
import { rows, type Database } from './pool.ts';

/** Another process leads now: this process must stop writing. */
export class EpochOver extends Error {
  constructor(epoch: number) {
    super(
      `Epoch ${epoch} is over: another operator leads now. This one stops writing and waits for its turn.`,
    );
    this.name = 'EpochOver';
  }
}

/**
 * Call it in each transaction of a leader before it reads or writes. Locks the leader epoch, so that no other
 * process can become leader until the transaction ends. Throws `EpochOver` if another process leads already.
 * Does nothing outside the leader's process.
 */
export async function holdEpoch(database: Database, connection: CommonQueryMethods): Promise<void> {
  const epoch = database.epoch?.();
  if (epoch === undefined) return;
  const current = await connection.maybeOneFirst(rows<{ epoch: number }>()`
    SELECT epoch FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`);
  if (current === null) throw new EpochOver(epoch);
}

/**
 * SQL: the same check and lock as `holdEpoch`, as a subquery `WITH leads AS (…)` of a single statement. It
 * has one row, or none if another process leads.
 */
export function fence(database: Database) {
  const epoch = database.epoch?.();
  if (epoch === undefined) return sql.fragment`SELECT 1`;
  return sql.fragment`SELECT 1 FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`;
}

/** Runs statements that the leader alone may run, in a transaction that holds its epoch. */
export async function withEpoch<T>(
  database: Database,
  work: (connection: CommonQueryMethods) => Promise<T>,
): Promise<T> {
  if (database.epoch === undefined) return await work(database.pool);
  return await database.pool.transaction(async (connection) => {
    await holdEpoch(database, connection);
    return await work(connection);
  });
}

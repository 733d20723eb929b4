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
 * Must be the first statement of a leader's transaction. Locks the epoch: another process cannot become
 * leader until the transaction ends. Does nothing outside the leader's process.
 */
export async function holdEpoch(database: Database, connection: CommonQueryMethods): Promise<void> {
  const epoch = database.epoch?.();
  if (epoch === undefined) return;
  const current = await connection.maybeOneFirst(rows<{ epoch: number }>()`
    SELECT epoch FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`);
  if (current === null) throw new EpochOver(epoch);
}

/**
 * SQL: `holdEpoch` as a subquery of a single statement, `WITH leads AS (…)`. Has one row during the epoch of
 * this process, and none afterwards.
 */
export function fence(database: Database) {
  const epoch = database.epoch?.();
  if (epoch === undefined) return sql.fragment`SELECT 1`;
  return sql.fragment`SELECT 1 FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`;
}

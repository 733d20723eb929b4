import { sql, type CommonQueryMethods } from 'slonik';
import { rows, type Database } from './pool.ts';

/** Another process leads now: this one must stop writing. */
export class EpochOver extends Error {
  constructor(epoch: number) {
    super(
      `Epoch ${epoch} is over: another operator leads now. This one stops writing and waits for its turn.`,
    );
    this.name = 'EpochOver';
  }
}

/**
 * First statement of a leader's transaction. The next leader cannot take its epoch until the transaction
 * ends. Does nothing outside the leader's process.
 */
export async function holdEpoch(database: Database, connection: CommonQueryMethods): Promise<void> {
  const epoch = database.epoch?.();
  if (epoch === undefined) return;
  const current = await connection.maybeOneFirst(rows<{ epoch: number }>()`
    SELECT epoch FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`);
  if (current === null) throw new EpochOver(epoch);
}

/**
 * `holdEpoch` as a condition for a single statement: `WITH fence AS (…)` has one row only during this epoch.
 */
export function fence(database: Database) {
  const epoch = database.epoch?.();
  if (epoch === undefined) return sql.fragment`SELECT 1`;
  return sql.fragment`SELECT 1 FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`;
}

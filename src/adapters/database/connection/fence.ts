import { sql, type CommonQueryMethods } from 'slonik';
import { rows, type Database } from './pool.ts';

/** Another process has taken the lead: this one must stop writing. */
export class EpochOver extends Error {
  constructor(epoch: number) {
    super(
      `Epoch ${epoch} is over: another operator leads now. This one stops writing and waits for its turn.`,
    );
    this.name = 'EpochOver';
  }
}

/**
 * First statement of a leader's transaction: holds off the next leader until the transaction ends. Outside of
 * the leader's process it does nothing.
 */
export async function holdEpoch(database: Database, connection: CommonQueryMethods): Promise<void> {
  const epoch = database.epoch?.();
  if (epoch === undefined) return;
  const current = await connection.maybeOneFirst(rows<{ epoch: number }>()`
    SELECT epoch FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`);
  if (current === null) throw new EpochOver(epoch);
}

/**
 * The same as a condition, for writes of one statement: `WITH fence AS (…)` with one row only while the epoch
 * lasts.
 */
export function fence(database: Database) {
  const epoch = database.epoch?.();
  if (epoch === undefined) return sql.fragment`SELECT 1`;
  return sql.fragment`SELECT 1 FROM leader_epochs WHERE scope = 'operator' AND epoch = ${epoch} FOR SHARE`;
}

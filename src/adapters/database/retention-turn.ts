import { sql } from 'slonik';
import { LOCK, rows, type Transaction } from './pool.ts';
import { policyOf, type StoredPolicy } from './retention-policy.ts';

/** Whose history is kept short, one after another. */
type Table = 'jobs' | 'check_scopes';

export interface Turn {
  table: Table;
  id: number;
  pipeline: number;
  /** What has an id up to this was looked at in this turn. */
  from: number;
  policy: Required<StoredPolicy>;
}

interface TurnRow extends Omit<Turn, 'table' | 'policy'> {
  policy: StoredPolicy | null;
}

/** Of the one that waits longest, whose pipeline is locked then; undefined: all had their turn after `since`. */
export async function takeTurn(
  connection: Transaction,
  table: Table,
  since: Date,
): Promise<Turn | undefined> {
  const turn = await connection.maybeOne(rows<TurnRow>()`
    SELECT o.id, o.pipeline_id AS pipeline, o.retained_to AS "from", t.retention AS policy
    FROM ${sql.identifier([table])} o JOIN pipelines p ON p.id = o.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE o.retained_at IS NULL OR o.retained_at < ${since.toISOString()}
    ORDER BY o.retained_at NULLS FIRST, o.id LIMIT 1`);
  if (turn === null) return undefined;
  await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${turn.pipeline}::int)`);
  return { ...turn, table, policy: policyOf(turn.policy) };
}

/** Its turn goes on behind `last`; undefined: it is over, at `at`. */
export async function leaveTurn(
  connection: Transaction,
  { table, id }: Turn,
  { last, at }: { last: number | undefined; at: Date },
): Promise<void> {
  await connection.query(rows()`
    UPDATE ${sql.identifier([table])} SET retained_to = ${last ?? 0},
      retained_at = CASE WHEN ${last === undefined} THEN ${at.toISOString()}::timestamptz ELSE retained_at END
    WHERE id = ${id}`);
}

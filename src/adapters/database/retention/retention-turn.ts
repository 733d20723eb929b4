import { sql } from 'slonik';
import { LOCK, rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Retention } from '#domain/retention/decide-retention.ts';
import type { RetentionTurn, TurnOf } from '#flows/retention/retention-ports.ts';

const TABLES = { jobs: 'jobs', resources: 'check_scopes' } as const;

interface TurnRow extends Omit<RetentionTurn, 'of' | 'policy'> {
  policy: Retention | null;
}

/**
 * Returns the job or check scope whose last turn is longest ago and before `since`, and locks its pipeline.
 */
export async function nextTurn(
  connection: Transaction,
  of: TurnOf,
  since: Date,
): Promise<RetentionTurn | undefined> {
  const turn = await connection.maybeOne(rows<TurnRow>()`
    SELECT o.id, o.pipeline_id AS pipeline, o.retained_to AS "from", t.retention AS policy
    FROM ${sql.identifier([TABLES[of]])} o JOIN pipelines p ON p.id = o.pipeline_id JOIN teams t ON t.id = p.team_id
    WHERE o.retained_at IS NULL OR o.retained_at < ${since.toISOString()}
    ORDER BY o.retained_at NULLS FIRST, o.id LIMIT 1`);
  if (turn === null) return undefined;
  await connection.query(rows()`SELECT pg_advisory_xact_lock(${LOCK.pipeline}, ${turn.pipeline}::int)`);
  // Locks this row before rows of builds and versions, as transactions that record versions do.
  await connection.query(rows()`
    SELECT 1 FROM ${sql.identifier([TABLES[of]])} WHERE id = ${turn.id} FOR NO KEY UPDATE`);
  return { ...turn, of, policy: turn.policy ?? {} };
}

/**
 * Stores the last row id that the turn has read, after which the turn continues. `last` undefined: the turn
 * is over.
 */
export async function leaveTurn(
  connection: Transaction,
  { of, id }: RetentionTurn,
  { last, at }: { last: number | undefined; at: Date },
): Promise<void> {
  await connection.query(rows()`
    UPDATE ${sql.identifier([TABLES[of]])} SET retained_to = ${last ?? 0},
      retained_at = CASE WHEN ${last === undefined} THEN ${at.toISOString()}::timestamptz ELSE retained_at END
    WHERE id = ${id}`);
}

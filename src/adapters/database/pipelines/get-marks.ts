import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/** The baseline, the settled mark and the floor of a get in a check scope. */
export interface Mark {
  job: number;
  resource: number;
  /**
   * Index of the get among the job's gets of the resource. Null for stored marks, which hold for all of these
   * gets.
   */
  nth: number | null;
  /** Null: the current scope, in a row that an older release wrote. */
  scope: number | null;
  /** The get has `passed`. */
  gated: boolean;
  /** The get takes every version, not only the newest. */
  every: boolean;
  /** The baseline. Null: the get did not trigger builds. */
  dealt_with: number | null;
  settled: number;
  floor: number;
}

/**
 * Stores marks of scopes that are no longer current, and restores the marks of scopes that are current again.
 * Returns the marks of the current scopes.
 */
export async function swapMarks(
  connection: Transaction,
  pipeline: number,
  marks: readonly Mark[],
): Promise<Mark[]> {
  const current = await connection.any(rows<{ id: number; scope: number }>()`
    SELECT id, scope_id AS scope FROM resources WHERE pipeline_id = ${pipeline}`);
  const scopes = new Map(current.map(({ id, scope }) => [id, scope]));
  const isCurrent = ({ resource, scope }: Mark): boolean => scope === null || scope === scopes.get(resource);
  const formerMarks = marks.filter((mark) => !isCurrent(mark));
  const restored = await connection.any(rows<Mark>()`
    DELETE FROM get_marks m USING resources r, jobs j
    WHERE r.pipeline_id = ${pipeline} AND r.scope_id = m.scope_id AND j.id = m.job_id
    RETURNING m.job_id AS job, r.id AS resource, NULL AS nth, m.scope_id AS scope, m.gated, m.every,
      m.dealt_with, m.settled, m.floor`);
  if (formerMarks.length > 0) await storeMarks(connection, formerMarks);
  return [...marks.filter(isCurrent), ...restored];
}

async function storeMarks(connection: Transaction, marks: readonly Mark[]): Promise<void> {
  await connection.query(rows()`
    INSERT INTO get_marks (job_id, scope_id, gated, every, dealt_with, settled, floor)
    SELECT n.job, n.scope, bool_or(n.gated), bool_and(n.every), min(n.dealt_with), min(n.settled), min(n.floor)
    FROM jsonb_to_recordset(${sql.jsonb(marks.map((mark) => ({ ...mark })))})
      AS n (job bigint, scope bigint, gated boolean, every boolean, dealt_with bigint, settled bigint, floor bigint)
    JOIN jobs j ON j.id = n.job AND j.deleted_at IS NULL
    WHERE n.dealt_with IS NOT NULL GROUP BY n.job, n.scope
    ON CONFLICT (job_id, scope_id) DO UPDATE SET gated = excluded.gated, every = excluded.every,
      dealt_with = excluded.dealt_with,
      settled = excluded.settled, floor = excluded.floor`);
}

/**
 * Deletes the marks of removed jobs, so that a job that is added again starts without them. `jobs`: SQL that
 * selects job ids.
 */
export async function dropMarks(connection: Transaction, jobs: FragmentSqlToken): Promise<void> {
  await connection.query(rows()`DELETE FROM get_marks WHERE job_id IN (${jobs})`);
}

import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/** Which versions of a history a get of a job has dealt with. */
export interface Mark {
  job: number;
  resource: number;
  /**
   * Which get of the resource in the job, from 0. Null: any; marks that were put aside are of all gets
   * together.
   */
  nth: number | null;
  /** Null: of the current one; the release before wrote it. */
  scope: number | null;
  gated: boolean;
  every: boolean;
  /** Null: the get triggered nothing. */
  dealt_with: number | null;
  settled: number;
  floor: number;
}

/**
 * Puts marks about histories that are not current any more aside, and takes back those about histories that
 * are current again. Answers the marks that hold now.
 */
export async function exchangeMarks(
  connection: Transaction,
  pipeline: number,
  known: readonly Mark[],
): Promise<Mark[]> {
  const current = await connection.any(rows<{ id: number; scope: number }>()`
    SELECT id, scope_id AS scope FROM resources WHERE pipeline_id = ${pipeline}`);
  const scopes = new Map(current.map(({ id, scope }) => [id, scope]));
  const [held, aside] = [true, false].map((wanted) =>
    known.filter(({ resource, scope }) => (scope === null || scope === scopes.get(resource)) === wanted),
  );
  const back = await connection.any(rows<Mark>()`
    DELETE FROM get_marks m USING resources r, jobs j
    WHERE r.pipeline_id = ${pipeline} AND r.scope_id = m.scope_id AND j.id = m.job_id
    RETURNING m.job_id AS job, r.id AS resource, NULL AS nth, m.scope_id AS scope, m.gated, m.every, m.dealt_with, m.settled, m.floor`);
  if (aside !== undefined && aside.length > 0) await putAside(connection, aside);
  return [...(held ?? []), ...back];
}

async function putAside(connection: Transaction, marks: readonly Mark[]): Promise<void> {
  await connection.query(rows()`
    INSERT INTO get_marks (job_id, scope_id, gated, every, dealt_with, settled, floor)
    SELECT n.job, n.scope, bool_or(n.gated), bool_and(n.every), min(n.dealt_with), min(n.settled), min(n.floor)
    FROM jsonb_to_recordset(${sql.jsonb(marks.map((mark) => ({ ...mark })))})
      AS n (job bigint, scope bigint, gated boolean, every boolean, dealt_with bigint, settled bigint, floor bigint)
    JOIN jobs j ON j.id = n.job AND j.deleted_at IS NULL
    WHERE n.dealt_with IS NOT NULL GROUP BY n.job, n.scope
    ON CONFLICT (job_id, scope_id) DO UPDATE SET gated = excluded.gated, every = excluded.every, dealt_with = excluded.dealt_with,
      settled = excluded.settled, floor = excluded.floor`);
}

/** Of jobs that are gone: were they to come back, they would begin anew. */
export async function dropMarks(connection: Transaction, jobs: FragmentSqlToken): Promise<void> {
  await connection.query(rows()`DELETE FROM get_marks WHERE job_id IN (${jobs})`);
}

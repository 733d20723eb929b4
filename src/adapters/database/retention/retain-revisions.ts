import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

const AT_ONCE = 100;

/** So many replaced definitions of a pipeline that nothing names are kept, also before that time. */
export const MAX_UNNAMED_REVISIONS = 20;

/** When a definition is saved, so that a pipeline that changes every second does not fill the database. */
export async function removeSurplusRevisions(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    DELETE FROM revisions WHERE id = ANY(ARRAY(
      SELECT r.id FROM revisions r WHERE r.pipeline_id = ${pipeline} AND ${isUnnamed('builds')} AND ${isUnnamed('check_runs')}
      ORDER BY r.number DESC OFFSET ${MAX_UNNAMED_REVISIONS + 1} LIMIT ${AT_ONCE}))`);
}

/**
 * Removes definitions of a pipeline that were replaced before then and that no build and no check run names
 * any more: a build that is repeated runs the definition it had. Answers how many went.
 */
export async function removeOldRevisions(
  connection: Transaction,
  pipeline: number,
  replacedBefore: Date,
): Promise<number> {
  const gone = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM revisions WHERE id = ANY(ARRAY(
      SELECT r.id FROM revisions r WHERE r.pipeline_id = ${pipeline}
        AND r.number < (
          SELECT max(n.number) FROM revisions n WHERE n.pipeline_id = ${pipeline} AND n.created_at < ${replacedBefore.toISOString()})
        AND ${isUnnamed('builds')} AND ${isUnnamed('check_runs')}
      ORDER BY r.number LIMIT ${AT_ONCE})) RETURNING id`);
  return gone.length;
}

/**
 * Asked in the order of the index: all builds may be of one revision, and then the planner takes them for
 * quickly found by reading on.
 */
function isUnnamed(table: 'builds' | 'check_runs'): FragmentSqlToken {
  return sql.fragment`(
    SELECT o.revision_id FROM ${sql.identifier([table])} o WHERE o.revision_id >= r.id
    ORDER BY o.revision_id LIMIT 1) IS DISTINCT FROM r.id`;
}

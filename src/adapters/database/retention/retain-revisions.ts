import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/** The most revisions that one call removes. */
const MAX_REMOVED = 100;

/**
 * How many unused revisions a pipeline keeps. A revision is unused if a newer one has replaced it and no
 * build or check run has it. Older unused revisions are deleted even before the retention period ends.
 */
export const MAX_UNUSED_REVISIONS = 20;

/**
 * Deletes unused revisions, except the newest ones. Runs at each save, so that a pipeline that changes every
 * second does not fill the database.
 */
export async function removeSurplusRevisions(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    DELETE FROM revisions WHERE id = ANY(ARRAY(
      SELECT r.id FROM revisions r WHERE r.pipeline_id = ${pipeline} AND ${isUnused('builds')}
        AND ${isUnused('check_runs')}
      ORDER BY r.number DESC OFFSET ${MAX_UNUSED_REVISIONS + 1} LIMIT ${MAX_REMOVED}))`);
}

/**
 * Removes revisions that were replaced before `replacedBefore` and that no build or check run uses. A build
 * needs its revision, because a retry of the build runs it again. Returns how many revisions were removed.
 */
export async function removeOldRevisions(
  connection: Transaction,
  pipeline: number,
  replacedBefore: Date,
): Promise<number> {
  const removed = await connection.anyFirst(rows<{ id: number }>()`
    DELETE FROM revisions WHERE id = ANY(ARRAY(
      SELECT r.id FROM revisions r WHERE r.pipeline_id = ${pipeline}
        AND r.number < (
          SELECT max(n.number) FROM revisions n WHERE n.pipeline_id = ${pipeline}
            AND n.created_at < ${replacedBefore.toISOString()})
        AND ${isUnused('builds')} AND ${isUnused('check_runs')}
      ORDER BY r.number LIMIT ${MAX_REMOVED})) RETURNING id`);
  return removed.length;
}

/**
 * SQL condition: no row of the table has the revision `r`. `ORDER BY … LIMIT 1` makes Postgres use the index.
 * Without it, if nearly all builds have the same revision, Postgres would scan the table and expect to find a
 * row soon.
 */
function isUnused(table: 'builds' | 'check_runs'): FragmentSqlToken {
  return sql.fragment`(
    SELECT o.revision_id FROM ${sql.identifier([table])} o WHERE o.revision_id >= r.id
    ORDER BY o.revision_id LIMIT 1) IS DISTINCT FROM r.id`;
}

import { sql, type FragmentSqlToken } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

/** The most revisions that one call removes. */
const MAX_REMOVED = 100;

/**
 * How many replaced revisions a pipeline keeps that no build or check run uses. Older ones are deleted before
 * the retention period ends.
 */
export const MAX_UNUSED_REVISIONS = 20;

/** Runs at each save, so that a pipeline that changes every second does not fill the database. */
export async function removeSurplusRevisions(connection: Transaction, pipeline: number): Promise<void> {
  await connection.query(rows()`
    DELETE FROM revisions WHERE id = ANY(ARRAY(
      SELECT r.id FROM revisions r WHERE r.pipeline_id = ${pipeline} AND ${isUnused('builds')}
        AND ${isUnused('check_runs')}
      ORDER BY r.number DESC OFFSET ${MAX_UNUSED_REVISIONS + 1} LIMIT ${MAX_REMOVED}))`);
}

/**
 * Removes revisions that were replaced before that time and that no build or check run uses. A build needs
 * its revision, since a retry runs the same revision. Returns how many revisions were removed.
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
 * SQL condition: no row of the table has the revision `r`. `ORDER BY … LIMIT 1` forces the index: if all
 * builds have one revision, Postgres would expect a scan to find such a build quickly.
 */
function isUnused(table: 'builds' | 'check_runs'): FragmentSqlToken {
  return sql.fragment`(
    SELECT o.revision_id FROM ${sql.identifier([table])} o WHERE o.revision_id >= r.id
    ORDER BY o.revision_id LIMIT 1) IS DISTINCT FROM r.id`;
}

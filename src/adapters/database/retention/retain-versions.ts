import {
  FIRST_FOUND_FIRST,
  foundAfter,
  NEWEST_FIRST,
  ofScope,
} from '#adapters/database/checks/versions-in-order.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { ids, rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { OldVersions, RetentionTurn } from '#flows/retention/retention-ports.ts';

interface FactsRow {
  versions: { id: number; foundAt: string; inUse: boolean }[] | null;
  pinned: number | null;
  newest: number | null;
  newestEnabled: number | null;
  baseline: number | null;
}

export async function oldVersions(
  connection: Transaction,
  { id: scope, from }: RetentionTurn,
  limit: number,
): Promise<OldVersions> {
  const found = await connection.one(rows<FactsRow>()`
    SELECT (
        SELECT jsonb_agg(jsonb_build_object('id', v.id, 'foundAt', v.found_at, 'inUse',
          EXISTS (SELECT 1 FROM build_inputs i WHERE i.version_id = v.id)
            OR EXISTS (SELECT 1 FROM build_outputs o WHERE o.version_id = v.id)
            OR EXISTS (SELECT 1 FROM resources r WHERE r.pinned_version = v.id)) ORDER BY v.id)
        FROM (SELECT id, found_at FROM versions
          WHERE ${foundAfter(scope, from)} AND NOT forgotten ${FIRST_FOUND_FIRST} LIMIT ${limit}) AS v) AS versions,
      (SELECT max(pinned_version) FROM resources WHERE scope_id = ${scope}) AS pinned,
      (SELECT id FROM versions WHERE ${ofScope(scope)} ${NEWEST_FIRST} LIMIT 1) AS newest,
      (SELECT id FROM versions WHERE ${ofScope(scope)} AND NOT disabled ${NEWEST_FIRST} LIMIT 1) AS "newestEnabled",
      (SELECT min(greatest(g.dealt_with, CASE WHEN g.passed = '{}' THEN g.settled ELSE 0 END))
        FROM job_gets g JOIN resources r ON r.id = g.resource_id JOIN jobs j ON j.id = g.job_id
        WHERE r.scope_id = ${scope} AND g.trigger AND g.every AND j.deleted_at IS NULL) AS baseline`);
  const { versions, pinned, newest, newestEnabled, baseline } = found;
  return {
    versions: (versions ?? []).map(({ id, foundAt, inUse }) => ({ id, inUse, foundAt: Date.parse(foundAt) })),
    newest: [newest, newestEnabled].flatMap((id) => id ?? []),
    ...withoutNulls({ pinned, lowestBaseline: baseline }),
  };
}

export async function forgetVersions(connection: Transaction, versions: readonly number[]): Promise<void> {
  await connection.query(rows()`
    UPDATE versions SET forgotten = true, fields = '{}' WHERE id = ANY(ARRAY(
      SELECT id FROM versions WHERE id = ANY(${ids(versions)}) ORDER BY id FOR NO KEY UPDATE))`);
}

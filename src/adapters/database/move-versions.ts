import { sql } from 'slonik';
import { rows, type Transaction } from './pool.ts';

export interface MovedVersion {
  id: number;
  place: number;
}

/**
 * Gives known versions new places. The caller holds their scope and the jobs that take them, in this order: whoever writes
 * `good_versions` takes jobs before versions too. The second statement sees what was committed while the first one waited.
 */
export async function moveVersions(connection: Transaction, moved: readonly MovedVersion[]): Promise<void> {
  const places = sql.jsonb(moved.map(({ id, place }) => ({ id, place })));
  await connection.query(rows()`
    WITH held AS MATERIALIZED (
      SELECT v.id FROM versions v JOIN jsonb_to_recordset(${places}) AS n (id bigint) ON n.id = v.id ORDER BY v.id FOR UPDATE OF v)
    UPDATE versions v SET place = n.place
    FROM held h JOIN jsonb_to_recordset(${places}) AS n (id bigint, place bigint) ON n.id = h.id WHERE v.id = h.id`);
  await connection.query(rows()`
    UPDATE good_versions g SET place = n.place
    FROM jsonb_to_recordset(${places}) AS n (id bigint, place bigint)
    CROSS JOIN LATERAL (
      SELECT build_id FROM build_inputs WHERE version_id = n.id
      UNION SELECT build_id FROM build_outputs WHERE version_id = n.id) AS b
    WHERE g.build_id = b.build_id AND g.version_id = n.id`);
}

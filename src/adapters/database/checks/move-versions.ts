import { sql } from 'slonik';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';

export interface MovedVersion {
  id: number;
  place: number;
}

/**
 * Gives known versions new places. A version whose old place is below the `floor` of a get may trigger at its
 * new place, so the `settled` mark of the get moves back before it. Writers of `good_versions` lock jobs
 * before versions. So to avoid deadlocks, the caller must first lock the scope, and then the jobs that get
 * its resource. The last statement comes after the lock of the versions, so it also moves good versions that
 * were committed during the wait for that lock.
 */
export async function moveVersions(connection: Transaction, moved: readonly MovedVersion[]): Promise<void> {
  const places = sql.jsonb(moved.map(({ id, place }) => ({ id, place })));
  await connection.query(rows()`
    WITH below_floor AS (
      SELECT g.job_id, g.position, min(v.id) AS version
      FROM jsonb_to_recordset(${places}) AS n (id bigint) JOIN versions v ON v.id = n.id
      JOIN resources r ON r.scope_id = v.scope_id JOIN job_gets g ON g.resource_id = r.id
        AND coalesce(g.scope_id, r.scope_id) = v.scope_id
      WHERE v.place < g.floor AND v.id <= g.settled GROUP BY 1, 2)
    UPDATE job_gets g SET settled = p.version - 1 FROM below_floor p WHERE p.job_id = g.job_id
      AND p.position = g.position`);
  await connection.query(rows()`
    WITH locked AS MATERIALIZED (
      SELECT v.id FROM versions v JOIN jsonb_to_recordset(${places}) AS n (id bigint) ON n.id = v.id
        ORDER BY v.id FOR UPDATE OF v)
    UPDATE versions v SET place = n.place
    FROM locked l JOIN jsonb_to_recordset(${places}) AS n (id bigint, place bigint) ON n.id = l.id WHERE v.id = l.id`);
  await connection.query(rows()`
    UPDATE good_versions g SET place = n.place
    FROM jsonb_to_recordset(${places}) AS n (id bigint, place bigint)
    CROSS JOIN LATERAL (
      SELECT build_id FROM build_inputs WHERE version_id = n.id
      UNION SELECT build_id FROM build_outputs WHERE version_id = n.id) AS b
    WHERE g.build_id = b.build_id AND g.version_id = n.id`);
}

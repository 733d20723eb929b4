import { sql } from 'slonik';
import { withEpoch } from '#adapters/database/connection/fence.ts';
import { rows, type Database } from '#adapters/database/connection/pool.ts';
import type { WorkerStore } from '#flows/people/record-workers.ts';

export function workerStore(database: Database): WorkerStore {
  return {
    async saveWorkers(workers) {
      const teams = [...workers].map(([team, nodes]) => ({ team, nodes }));
      await withEpoch(database, async (connection) => {
        await connection.query(rows()`
          WITH locked AS MATERIALIZED (
            SELECT t.id, n.nodes FROM teams t
            JOIN jsonb_to_recordset(${sql.jsonb(teams)}) AS n (team text, nodes jsonb) ON n.team = t.name
            WHERE t.deleted_at IS NULL AND t.workers IS DISTINCT FROM n.nodes ORDER BY t.id FOR NO KEY UPDATE OF t)
          UPDATE teams t SET workers = l.nodes FROM locked l WHERE t.id = l.id`);
      });
    },
  };
}

import type { TeamStore } from '#flows/ports.ts';
import { holdEpoch } from './fence.ts';
import { rows, type Database } from './pool.ts';

export function teamStore(database: Database): TeamStore {
  const { pool } = database;
  return {
    async saveTeam({ name, namespace, displayName = null, runningBuilds = null, retention }) {
      const kept = retention === undefined ? null : JSON.stringify(retention);
      await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        await connection.query(rows()`
          INSERT INTO teams AS t (name, namespace, display_name, running_builds, retention)
          VALUES (${name}, ${namespace}, ${displayName}, ${runningBuilds}, ${kept}::jsonb)
          ON CONFLICT (name) DO UPDATE
            SET namespace = excluded.namespace, display_name = excluded.display_name, running_builds = excluded.running_builds,
              retention = excluded.retention, deleted_at = NULL
            WHERE (t.namespace, t.display_name, t.running_builds, t.retention, t.deleted_at)
              IS DISTINCT FROM (excluded.namespace, excluded.display_name, excluded.running_builds, excluded.retention, NULL)`);
      });
    },
    async removeTeam(name) {
      return await pool.transaction(async (connection) => {
        await holdEpoch(database, connection);
        // Locks out a pipeline that is being saved: savePipeline holds its team FOR SHARE.
        await connection.query(rows()`SELECT 1 FROM teams WHERE name = ${name} FOR UPDATE`);
        const busy = await connection.exists(rows()`
          SELECT 1 FROM pipelines p JOIN teams t ON t.id = p.team_id WHERE t.name = ${name} AND p.deleted_at IS NULL`);
        if (busy) return 'has-pipelines';
        // Whoever makes a team of this name again decides anew who is in it.
        await connection.query(rows()`
          WITH gone AS (
            UPDATE teams SET deleted_at = now(), members_by_manifest = false
            WHERE name = ${name} AND deleted_at IS NULL RETURNING id),
          tokens AS (DELETE FROM api_tokens WHERE team_id IN (SELECT id FROM gone))
          DELETE FROM team_members WHERE team_id IN (SELECT id FROM gone)`);
        return 'removed';
      });
    },
  };
}

import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { ManagedFields } from '#domain/access/refuse-team-change.ts';
import type { TeamSettingsTransaction } from '#flows/people/ports.ts';
import { audit } from './audit-store.ts';
import { notifyTeamChanged, saveGroups } from './team-members.ts';

/** Reads and changes the settings of a team that people may change through the API. */
export function teamSettings(connection: Transaction, team: string): TeamSettingsTransaction {
  return {
    async team() {
      const found = await connection.maybeOne(rows<ManagedFields & { id: number }>()`
        SELECT id, display_name_by_manifest AS "displayName", groups_by_manifest AS groups,
          debug_by_manifest AS debug FROM teams
        WHERE name = ${team} AND deleted_at IS NULL FOR UPDATE`);
      return found ?? undefined;
    },
    async change(id, { displayName, groups, debug }, { by, at }) {
      if (displayName !== undefined) {
        const name = displayName === '' ? null : displayName;
        const changed = await connection.maybeOneFirst(rows<{ id: number }>()`
          UPDATE teams SET display_name = ${name} WHERE id = ${id} AND display_name IS DISTINCT FROM ${name}
            RETURNING id`);
        const entry = { team, actor: by, at, action: 'team.updated', targetType: 'team', target: team };
        if (changed !== null) await audit(connection, { ...entry, details: { display_name: name } });
      }
      if (debug !== undefined) {
        const changed = await connection.maybeOneFirst(rows<{ id: number }>()`
          UPDATE teams SET debug = ${debug} WHERE id = ${id} AND debug <> ${debug} RETURNING id`);
        const entry = { team, actor: by, at, action: 'team.updated', targetType: 'team', target: team };
        if (changed !== null) await audit(connection, { ...entry, details: { debug } });
      }
      if (groups !== undefined) await saveGroups(connection, { id, team, by, at }, groups);
      await notifyTeamChanged(connection, id);
    },
  };
}

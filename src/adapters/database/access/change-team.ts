import type { DatabasePool } from 'slonik';
import { rows } from '#adapters/database/pool.ts';
import type { Act, Changed, TeamChange } from '#flows/access-ports.ts';
import { audit } from './audit.ts';
import { saveGroups, tellOfTeam } from './team-members.ts';
import { inTurn } from './turns.ts';

/** What people change of a team through the API. */
export async function changeTeam(
  pool: DatabasePool,
  team: string,
  change: TeamChange,
  { by, at }: Act,
): Promise<Changed> {
  return await inTurn(pool, async (connection): Promise<Changed> => {
    const found = await connection.maybeOne(rows<{ id: number; name: boolean; groups: boolean }>()`
      SELECT id, display_name_by_manifest AS name, groups_by_manifest AS groups FROM teams
      WHERE name = ${team} AND deleted_at IS NULL FOR UPDATE`);
    if (found === null) return { answer: 'unknown', what: `Team ${team}` };
    if (change.displayName !== undefined && found.name) return managed('The display name');
    if (change.groups !== undefined && found.groups) return managed('The groups');
    if (change.displayName !== undefined) {
      const name = change.displayName === '' ? null : change.displayName;
      const changed = await connection.maybeOneFirst(rows<{ id: number }>()`
        UPDATE teams SET display_name = ${name} WHERE id = ${found.id} AND display_name IS DISTINCT FROM ${name} RETURNING id`);
      const entry = { team, actor: by, at, action: 'team.updated', targetType: 'team', target: team };
      if (changed !== null) await audit(connection, { ...entry, details: { display_name: name } });
    }
    if (change.groups !== undefined)
      await saveGroups(connection, { id: found.id, team, by, at }, change.groups);
    await tellOfTeam(connection, found.id);
    return { answer: 'done', value: undefined };
  });
}

function managed(what: string): Changed {
  const message = `${what} of this team is said by its manifest: change it there.`;
  return { answer: 'refused', refusal: { reason: 'managed-by-manifest', message } };
}

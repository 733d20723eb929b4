import { audit } from '#adapters/database/access/audit.ts';
import {
  groupsOf,
  membersOf,
  saveGroups,
  saveMembers,
  tellingGroups,
} from '#adapters/database/access/team-members.ts';
import { inTurn } from '#adapters/database/access/turns.ts';
import type { TeamSaved, TeamStore, TeamToSave } from '#flows/team-ports.ts';
import { holdEpoch } from './fence.ts';
import { rows, time, type Database, type Transaction } from './pool.ts';

/** Who acts, where it was a Team object of a manifest. */
const MANIFEST = 'manifest';

export function teamStore(database: Database): TeamStore {
  const { pool } = database;
  return {
    saveTeam: async (team, { at, refuse } = { at: new Date(), refuse: () => undefined }) =>
      await inTurn(pool, async (connection): Promise<TeamSaved> => {
        await holdEpoch(database, connection);
        const { id, isNew } = await saveRow(connection, team);
        const by = team.byApi?.changedBy ?? MANIFEST;
        const change = { id, team: team.name, by: MANIFEST, at };
        if (isNew) await begin(connection, { ...change, by }, team);
        const message = await saveMembers(connection, change, team.members, refuse);
        if (team.groups !== undefined) await saveGroups(connection, change, team.groups);
        const saved = await savedOf(connection, id);
        return message === undefined ? saved : { ...saved, refused: { reason: 'LastAdmin', message } };
      }),
    removeTeam: async (name, by = MANIFEST) =>
      await inTurn(pool, async (connection) => {
        await holdEpoch(database, connection);
        return await remove(connection, name, by);
      }),
    async teamName(id) {
      const name = await pool.maybeOneFirst(rows<{ name: string }>()`
        SELECT name FROM teams WHERE id = ${id} AND deleted_at IS NULL`);
      return name ?? undefined;
    },
  };
}

async function saveRow(connection: Transaction, team: TeamToSave): Promise<{ id: number; isNew: boolean }> {
  const { name, namespace, displayName = null, runningBuilds = null, retention, byApi } = team;
  const kept = retention === undefined ? null : JSON.stringify(retention);
  const before = await connection.maybeOne(rows<{ id: number; gone: boolean }>()`
    SELECT id, deleted_at IS NOT NULL AS gone FROM teams WHERE name = ${name} FOR UPDATE`);
  const id = await connection.maybeOneFirst(rows<{ id: number }>()`
    INSERT INTO teams AS t (name, namespace, display_name, display_name_by_manifest, running_builds, retention, by_api,
      groups_by_manifest)
    VALUES (${name}, ${namespace}, ${displayName}, ${displayName !== null}, ${runningBuilds}, ${kept}::jsonb,
      ${byApi !== undefined}, ${team.groups !== undefined})
    ON CONFLICT (name) DO UPDATE
      SET namespace = excluded.namespace, running_builds = excluded.running_builds, retention = excluded.retention,
        display_name = coalesce(excluded.display_name, t.display_name),
        display_name_by_manifest = excluded.display_name_by_manifest, by_api = excluded.by_api,
        groups_by_manifest = excluded.groups_by_manifest, deleted_at = NULL
      WHERE (t.namespace, t.running_builds, t.retention, t.display_name, t.display_name_by_manifest, t.by_api,
          t.groups_by_manifest, t.deleted_at)
        IS DISTINCT FROM (excluded.namespace, excluded.running_builds, excluded.retention,
          coalesce(excluded.display_name, t.display_name), excluded.display_name_by_manifest, excluded.by_api,
          excluded.groups_by_manifest, NULL)
    RETURNING id`);
  return { id: id ?? before?.id ?? 0, isNew: before === null || before.gone };
}

/** Whoever made a team through the API is its first admin. */
async function begin(
  connection: Transaction,
  { id, team, by, at }: { id: number; team: string; by: string; at: Date },
  { byApi }: TeamToSave,
): Promise<void> {
  await audit(connection, { team, actor: by, at, action: 'team.created', targetType: 'team', target: team });
  if (byApi === undefined) return;
  await connection.query(rows()`
    INSERT INTO team_members (team_id, user_id, role, added_at)
    SELECT ${id}, id, 'admin', ${time(at)} FROM users WHERE username = ${byApi.changedBy} AND NOT disabled`);
}

async function savedOf(connection: Transaction, id: number): Promise<TeamSaved> {
  const displayName = await connection.oneFirst(rows<{ display_name: string | null }>()`
    SELECT display_name FROM teams WHERE id = ${id}`);
  return {
    ...(displayName !== null && { displayName }),
    members: await membersOf(connection, id),
    groups: await groupsOf(connection, id),
    tellingGroups: await tellingGroups(connection),
  };
}

async function remove(
  connection: Transaction,
  name: string,
  by: string,
): Promise<'removed' | 'has-pipelines'> {
  // Locks out a pipeline that is being saved: savePipeline holds its team FOR SHARE.
  const id = await connection.maybeOneFirst(rows<{ id: number }>()`
    SELECT id FROM teams WHERE name = ${name} AND deleted_at IS NULL FOR UPDATE`);
  if (id === null) return 'removed';
  const busy = await connection.exists(rows()`
    SELECT 1 FROM pipelines WHERE team_id = ${id} AND deleted_at IS NULL`);
  if (busy) return 'has-pipelines';
  // Whoever makes a team of this name again decides anew who is in it.
  await connection.query(rows()`
    UPDATE teams SET deleted_at = now(), members_by_manifest = false, display_name = NULL WHERE id = ${id}`);
  await connection.query(rows()`DELETE FROM api_tokens WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_groups WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_expected WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_members WHERE team_id = ${id}`);
  const at = new Date();
  await audit(connection, {
    team: name,
    actor: by,
    at,
    action: 'team.deleted',
    targetType: 'team',
    target: name,
  });
  return 'removed';
}

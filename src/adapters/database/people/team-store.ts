import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Database, type Transaction } from '#adapters/database/connection/pool.ts';
import type { TeamAct, TeamSaved, TeamStore, TeamToSave, TeamTransaction } from '#flows/people/team-ports.ts';
import { withAccessLock } from './access-lock.ts';
import { audit } from './audit-store.ts';
import {
  adminsOfTeam,
  groupProviders,
  groupsOfTeam,
  membersOfTeam,
  saveGroups,
  saveMembers,
  saveMembersByManifest,
} from './team-members.ts';

export function teamStore(database: Database): TeamStore {
  const { pool } = database;
  return {
    withTeam: async (name, work) =>
      await withAccessLock(pool, async (connection) => {
        await holdEpoch(database, connection);
        return await work(teamTransaction(connection, name));
      }),
    async teamName(id) {
      const name = await pool.maybeOneFirst(rows<{ name: string }>()`
        SELECT name FROM teams WHERE id = ${id} AND deleted_at IS NULL`);
      return name ?? undefined;
    },
  };
}

function teamTransaction(connection: Transaction, name: string): TeamTransaction {
  return {
    async team() {
      // Waits for transactions that save pipelines of the team, because they lock the team's row too.
      const found = await connection.maybeOne(rows<{ id: number; removed: boolean }>()`
        SELECT id, deleted_at IS NOT NULL AS removed FROM teams WHERE name = ${name} FOR UPDATE`);
      return found ?? undefined;
    },
    async saveRow(team, existing) {
      const id = (await saveRow(connection, team)) ?? existing?.id ?? 0;
      await saveMembersByManifest(connection, id, team.members !== undefined);
      return id;
    },
    recordCreation: async (act) => await record(connection, act, 'team.created'),
    async addAdmin(username, { id, at }) {
      await connection.query(rows()`
        INSERT INTO team_members (team_id, user_id, role, added_at)
        SELECT ${id}, id, 'admin', ${timestamp(at)} FROM users WHERE username = ${username} AND NOT disabled`);
    },
    admins: async (id, members) => await adminsOfTeam(connection, id, members),
    saveMembers: async (members, act) => await saveMembers(connection, act, members),
    saveGroups: async (groups, act) => await saveGroups(connection, act, groups),
    saved: async (id) => await savedOf(connection, id),
    hasPipelines: async (id) =>
      await connection.exists(rows()`
        SELECT 1 FROM pipelines WHERE team_id = ${id} AND deleted_at IS NULL`),
    remove: async (act) => await remove(connection, act),
  };
}

async function record(
  connection: Transaction,
  { team, by: actor, at }: TeamAct,
  action: 'team.created' | 'team.deleted',
): Promise<void> {
  await audit(connection, { team, actor, at, action, targetType: 'team', target: team });
}

/** Returns the id of the row, or null if the row did not change. */
async function saveRow(connection: Transaction, team: TeamToSave): Promise<number | null> {
  const { name, namespace, displayName = null, runningBuilds = null, retention, byApi } = team;
  const { defaultTimeoutSeconds = null, buildLogBytes = null, debug = null } = team;
  const retentionJson = retention === undefined ? null : JSON.stringify(retention);
  return await connection.maybeOneFirst(rows<{ id: number }>()`
    INSERT INTO teams AS t (name, namespace, display_name, display_name_by_manifest, running_builds, retention, by_api,
      groups_by_manifest, default_timeout_seconds, build_log_bytes, debug, debug_by_manifest)
    VALUES (${name}, ${namespace}, ${displayName}, ${displayName !== null}, ${runningBuilds}, ${retentionJson}::jsonb,
      ${byApi !== undefined}, ${team.groups !== undefined}, ${defaultTimeoutSeconds}, ${buildLogBytes},
      coalesce(${debug}, false), ${debug !== null})
    ON CONFLICT (name) DO UPDATE
      SET namespace = excluded.namespace, running_builds = excluded.running_builds, retention = excluded.retention,
        display_name = coalesce(excluded.display_name, t.display_name),
        display_name_by_manifest = excluded.display_name_by_manifest, by_api = excluded.by_api,
        groups_by_manifest = excluded.groups_by_manifest, deleted_at = NULL,
        default_timeout_seconds = excluded.default_timeout_seconds, build_log_bytes = excluded.build_log_bytes,
        debug = coalesce(${debug}, t.debug), debug_by_manifest = excluded.debug_by_manifest
      WHERE (t.namespace, t.running_builds, t.retention, t.display_name, t.display_name_by_manifest, t.by_api,
          t.groups_by_manifest, t.default_timeout_seconds, t.build_log_bytes, t.debug, t.debug_by_manifest,
          t.deleted_at)
        IS DISTINCT FROM (excluded.namespace, excluded.running_builds, excluded.retention,
          coalesce(excluded.display_name, t.display_name), excluded.display_name_by_manifest, excluded.by_api,
          excluded.groups_by_manifest, excluded.default_timeout_seconds, excluded.build_log_bytes,
          coalesce(${debug}, t.debug), excluded.debug_by_manifest, NULL)
    RETURNING id`);
}

async function savedOf(connection: Transaction, id: number): Promise<TeamSaved> {
  const displayName = await connection.oneFirst(rows<{ display_name: string | null }>()`
    SELECT display_name FROM teams WHERE id = ${id}`);
  return {
    ...withoutNulls({ displayName }),
    members: await membersOfTeam(connection, id),
    groups: await groupsOfTeam(connection, id),
    groupProviders: await groupProviders(connection),
  };
}

async function remove(connection: Transaction, act: TeamAct): Promise<void> {
  const { id } = act;
  // A team that is created later with this name must not get the members and secrets of this one.
  await connection.query(rows()`
    UPDATE teams SET deleted_at = now(), members_by_manifest = false, display_name = NULL, debug = false
    WHERE id = ${id}`);
  await connection.query(rows()`DELETE FROM api_tokens WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM stored_secrets WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_groups WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_expected WHERE team_id = ${id}`);
  await connection.query(rows()`DELETE FROM team_members WHERE team_id = ${id}`);
  await record(connection, act, 'team.deleted');
}

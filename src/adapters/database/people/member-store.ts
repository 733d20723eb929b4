import { sql, type CommonQueryMethods, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Role } from '#domain/access/roles.ts';
import type {
  AuditedAct,
  AuditEntry,
  LockedMember,
  Member,
  Membership,
  MemberStore,
  MemberTransaction,
  TeamView,
} from '#flows/people/ports.ts';
import { withAccessLock } from './access-lock.ts';
import { audit } from './audit-store.ts';
import { HELD_ROLES, highest } from './held-roles.ts';
import { notifyTeamChanged } from './team-members.ts';
import { teamSettings } from './team-settings.ts';

export function memberStore({ pool }: { pool: DatabasePool }): MemberStore {
  return {
    async teams(reader) {
      const ownRole =
        reader === 'all'
          ? sql.fragment`NULL::text`
          : sql.fragment`(
        SELECT ${highest(sql.fragment`h.role`)} FROM ${HELD_ROLES} h WHERE h.team_id = t.id
          AND h.user_id = ${reader.userId})`;
      const found = await pool.any(rows<TeamRow>()`
        SELECT * FROM (SELECT ${TEAM_COLUMNS}, ${ownRole} AS role FROM teams t WHERE t.deleted_at IS NULL) AS t
        WHERE ${reader === 'all'} OR role IS NOT NULL ORDER BY name`);
      return found.map(withoutNulls);
    },
    async team(name) {
      const found = await pool.maybeOne(rows<TeamRow>()`
        SELECT ${TEAM_COLUMNS}, NULL::text AS role FROM teams t WHERE t.name = ${name} AND t.deleted_at IS NULL`);
      return found === null ? undefined : withoutNulls(found);
    },
    async namespaceOf(team) {
      const found = await pool.maybeOneFirst(rows<{ namespace: string }>()`
        SELECT namespace FROM teams WHERE name = ${team} AND deleted_at IS NULL`);
      return found ?? undefined;
    },
    members: async (team) => await membersOfTeam(pool, team),
    withTeam: async (team, work) =>
      await withAccessLock(pool, async (connection) => await work(teamSettings(connection, team))),
    withMember: async (member, work) =>
      await withAccessLock(pool, async (connection) => await work(memberTransaction(connection, member))),
  };
}

type TeamRow = TeamView & { displayName: string | null; role: Role | null };
type MemberRow = Omit<Member, 'addedAt' | 'groupRole'> & { addedAt: string | null; groupRole: Role | null };

const TEAM_COLUMNS = sql.fragment`t.name, t.display_name AS "displayName", t.by_api AS "byApi", t.debug,
  (SELECT count(DISTINCT h.user_id) FROM ${HELD_ROLES} h WHERE h.team_id = t.id) AS members,
  (SELECT count(*) FROM pipelines p WHERE p.team_id = t.id AND p.deleted_at IS NULL) AS pipelines,
  coalesce((SELECT jsonb_agg(jsonb_strip_nulls(jsonb_build_object('claim', g.claim, 'provider', g.provider,
    'role', g.role)) ORDER BY g.claim)
    FROM team_groups g WHERE g.team_id = t.id), '[]') AS groups,
  (SELECT coalesce(jsonb_agg(name), '[]') FROM (VALUES ('display_name', t.display_name_by_manifest),
    ('members', t.members_by_manifest), ('groups', t.groups_by_manifest), ('debug', t.debug_by_manifest))
    AS managed(name, by) WHERE by) AS "byManifest"`;

async function membersOfTeam(pool: DatabasePool, team: string): Promise<Member[] | undefined> {
  const found = await pool.one(rows<{ exists: boolean; members: MemberRow[] }>()`
    SELECT EXISTS (SELECT 1 FROM teams WHERE name = ${team} AND deleted_at IS NULL) AS exists, coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', u.id, 'username', u.username, 'fullName', u.full_name,
        'role', held.role, 'groupRole', held.by_group, 'addedAt', m.added_at) ORDER BY u.username)
      FROM teams t
        JOIN LATERAL (
          SELECT h.user_id, ${highest(sql.fragment`h.role`)} AS role,
            ${highest(sql.fragment`CASE WHEN h.by_group THEN h.role END`)} AS by_group
          FROM ${HELD_ROLES} h WHERE h.team_id = t.id GROUP BY h.user_id) held ON true
        JOIN users u ON u.id = held.user_id
        LEFT JOIN team_members m ON m.team_id = t.id AND m.user_id = u.id
      WHERE t.name = ${team} AND t.deleted_at IS NULL), '[]') AS members`);
  if (!found.exists) return undefined;
  return found.members.map(({ addedAt, groupRole, ...member }) => ({
    ...member,
    ...withoutNulls({ groupRole }),
    ...(addedAt !== null && { addedAt: new Date(addedAt) }),
  }));
}

function memberTransaction(connection: Transaction, { team, username }: Membership): MemberTransaction {
  return {
    member: async () => await lockedMember(connection, team, username),
    async setRole(member, role, act) {
      const { teamId, userId } = member;
      await connection.query(rows()`
        INSERT INTO team_members (team_id, user_id, role, added_at) VALUES (${teamId}, ${userId}, ${role},
          ${timestamp(act.at)})
        ON CONFLICT (team_id, user_id) DO UPDATE SET role = excluded.role`);
      await recordAndNotify(connection, member, role, act);
    },
    async remove(member, act) {
      const { teamId, userId } = member;
      await connection.query(
        rows()`DELETE FROM team_members WHERE team_id = ${teamId} AND user_id = ${userId}`,
      );
      await connection.query(
        rows()`DELETE FROM api_tokens WHERE team_id = ${teamId} AND user_id = ${userId}`,
      );
      await recordAndNotify(connection, member, undefined, act);
    },
  };
}

type MemberFound = Omit<LockedMember, 'userId' | 'role' | keyof Membership> & {
  userId: number | null;
  role: Role | null;
};

/**
 * The caller must hold the access lock. Otherwise the number of other admins could change before the commit.
 */
async function lockedMember(
  connection: CommonQueryMethods,
  team: string,
  username: string,
): Promise<LockedMember | { unknown: 'team' | 'user' }> {
  const found = await connection.maybeOne(rows<MemberFound>()`
    SELECT t.id AS "teamId", t.members_by_manifest AS "byManifest", u.id AS "userId", m.role,
      (SELECT count(*) FROM team_members o JOIN users a ON a.id = o.user_id AND NOT a.disabled
        WHERE o.team_id = t.id AND o.role = 'admin' AND o.user_id IS DISTINCT FROM u.id) AS "otherAdmins"
    FROM teams t LEFT JOIN users u ON u.username = ${username}
      LEFT JOIN team_members m ON m.team_id = t.id AND m.user_id = u.id
    WHERE t.name = ${team} AND t.deleted_at IS NULL`);
  if (found === null) return { unknown: 'team' };
  const { userId, role, ...member } = found;
  return userId === null
    ? { unknown: 'user' }
    : { ...member, team, username, userId, role: role ?? undefined };
}

/**
 * Records the change in the audit log and notifies the operator. `role` is undefined if the member was
 * removed.
 */
async function recordAndNotify(
  connection: CommonQueryMethods,
  { teamId, team, username, role: oldRole }: LockedMember,
  role: Role | undefined,
  { by, at }: AuditedAct,
): Promise<void> {
  const entry = { team, actor: by, targetType: 'member', target: username, at };
  await audit(connection, { ...entry, ...actionOf(oldRole, role) });
  await notifyTeamChanged(connection, teamId);
}

function actionOf(oldRole: Role | undefined, role: Role | undefined): Pick<AuditEntry, 'action' | 'details'> {
  if (role === undefined) return { action: 'member.removed', details: { old_role: oldRole } };
  if (oldRole === undefined) return { action: 'member.added', details: { role } };
  return { action: 'member.role_changed', details: { old_role: oldRole, new_role: role } };
}

import { sql, type CommonQueryMethods } from 'slonik';
import { CHANNEL, encodeNotification } from '#adapters/database/connection/notification-payload.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, textArray, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import { defined } from '#defined';
import type { GroupRole } from '#domain/access/group-roles.ts';
import type { Role } from '#domain/access/roles.ts';
import type { NamedMember, TeamAct } from '#flows/people/team-ports.ts';
import { audit } from './audit-store.ts';

/** Records whether the manifest lists the members. If it does not, the expected members are deleted. */
export async function saveMembersByManifest(
  connection: Transaction,
  id: number,
  byManifest: boolean,
): Promise<void> {
  await connection.query(rows()`
    UPDATE teams SET members_by_manifest = ${byManifest} WHERE id = ${id}
      AND members_by_manifest <> ${byManifest}`);
  if (!byManifest) await connection.query(rows()`DELETE FROM team_expected WHERE team_id = ${id}`);
}

/**
 * Gives the team exactly the members that the manifest lists. Listed people without an account become
 * expected members: they join when an admin creates their account.
 */
export async function saveMembers(
  connection: Transaction,
  act: TeamAct,
  members: readonly NamedMember[],
): Promise<void> {
  const { id } = act;
  await saveExpectedMembers(connection, id, members);
  const before = new Map((await membersOfTeam(connection, id)).map(({ user, role }) => [user, role]));
  const withAccount = await membersWithAccount(connection, members);
  for (const member of withAccount) await setRole(connection, act, member, before.get(member.user));
  const removed = [...before.keys()].filter((user) => !withAccount.some((member) => member.user === user));
  for (const user of removed) await removeMember(connection, act, user, before.get(user));
}

/** Counts the enabled admins of the team, before and after it gets these members. */
export async function adminsOfTeam(
  connection: CommonQueryMethods,
  id: number,
  members: readonly NamedMember[],
): Promise<{ before: number; after: number }> {
  const admins = textArray(members.filter(({ role }) => role === 'admin').map(({ user }) => user));
  return await connection.one(rows<{ before: number; after: number }>()`
    SELECT (SELECT count(*) FROM team_members m JOIN users u ON u.id = m.user_id
        WHERE m.team_id = ${id} AND m.role = 'admin' AND NOT u.disabled) AS before,
      (SELECT count(*) FROM users WHERE username = ANY(${admins}) AND NOT disabled) AS after`);
}

async function saveExpectedMembers(
  connection: Transaction,
  id: number,
  members: readonly NamedMember[],
): Promise<void> {
  const [users, roles] = [
    textArray(members.map(({ user }) => user)),
    textArray(members.map(({ role }) => role)),
  ];
  await connection.query(rows()`DELETE FROM team_expected WHERE team_id = ${id}`);
  await connection.query(rows()`
    INSERT INTO team_expected (team_id, username, role)
    SELECT ${id}, named.username, named.role FROM unnest(${users}, ${roles}) AS named(username, role)
    WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.username = named.username)`);
}

async function membersWithAccount(
  connection: CommonQueryMethods,
  members: readonly NamedMember[],
): Promise<NamedMember[]> {
  const usernames = await connection.anyFirst(rows<{ username: string }>()`
    SELECT username FROM users WHERE username = ANY(${textArray(members.map(({ user }) => user))})`);
  return members.filter(({ user }) => usernames.includes(user));
}

async function setRole(
  connection: Transaction,
  act: TeamAct,
  { user, role }: NamedMember,
  oldRole: Role | undefined,
): Promise<void> {
  if (oldRole === role) return;
  await connection.query(rows()`
    INSERT INTO team_members (team_id, user_id, role, added_at)
    SELECT ${act.id}, id, ${role}, ${timestamp(act.at)} FROM users WHERE username = ${user}
    ON CONFLICT (team_id, user_id) DO UPDATE SET role = excluded.role`);
  const change =
    oldRole === undefined
      ? { action: 'member.added', details: { role } }
      : { action: 'member.role_changed', details: { old_role: oldRole, new_role: role } };
  await audit(connection, { ...auditFields(act, user), ...change });
}

async function removeMember(
  connection: Transaction,
  act: TeamAct,
  user: string,
  oldRole: Role | undefined,
): Promise<void> {
  const { id } = act;
  const ofMember = sql.fragment`team_id = ${id} AND user_id = (SELECT id FROM users WHERE username = ${user})`;
  await connection.query(rows()`DELETE FROM team_members WHERE ${ofMember}`);
  await connection.query(rows()`DELETE FROM api_tokens WHERE ${ofMember}`);
  await audit(connection, {
    ...auditFields(act, user),
    action: 'member.removed',
    details: { old_role: oldRole },
  });
}

const auditFields = ({ team, by, at }: TeamAct, user: string) => ({
  team,
  actor: by,
  targetType: 'member',
  target: user,
  at,
});

/** Stores the roles of groups in the team; writes nothing if they are unchanged. */
export async function saveGroups(
  connection: Transaction,
  { id, team, by, at }: TeamAct,
  groups: readonly GroupRole[],
): Promise<void> {
  const before = await groupsOfTeam(connection, id);
  const newGroups = groups
    .map(({ claim, provider, role }) => ({ claim, ...defined({ provider }), role }))
    .toSorted((first, second) => (first.claim < second.claim ? -1 : 1));
  if (JSON.stringify(before) === JSON.stringify(newGroups)) return;
  await connection.query(rows()`DELETE FROM team_groups WHERE team_id = ${id}`);
  await connection.query(rows()`
    INSERT INTO team_groups (team_id, claim, provider, role)
    SELECT ${id}, claim, nullif(provider, ''), role FROM unnest(${textArray(newGroups.map(({ claim }) => claim))},
      ${textArray(newGroups.map(({ provider = '' }) => provider))}, ${textArray(newGroups.map(({ role }) => role))})
      AS n(claim, provider, role)`);
  const entry = { team, actor: by, at, action: 'team.groups_changed', targetType: 'team', target: team };
  await audit(connection, { ...entry, details: { groups: newGroups } });
}

export async function groupsOfTeam(connection: CommonQueryMethods, id: number): Promise<GroupRole[]> {
  const found = await connection.any(rows<GroupRole & { provider: string | null }>()`
    SELECT claim, provider, role FROM team_groups WHERE team_id = ${id} ORDER BY claim COLLATE "C"`);
  return found.map(withoutNulls);
}

/** Returns the members themselves, without people who have a role through a group. */
export async function membersOfTeam(connection: CommonQueryMethods, id: number): Promise<NamedMember[]> {
  const found = await connection.any(rows<NamedMember>()`
    SELECT u.username AS user, m.role FROM team_members m JOIN users u ON u.id = m.user_id
    WHERE m.team_id = ${id} ORDER BY u.username`);
  return [...found];
}

/** Adds a new account to the teams whose manifests list it. */
export async function joinTeams(connection: Transaction, username: string, at: Date): Promise<void> {
  const joined = await connection.any(rows<{ id: number; team: string; role: Role }>()`
    WITH expected AS (DELETE FROM team_expected WHERE username = ${username} RETURNING team_id, role)
    SELECT t.id, t.name AS team, expected.role FROM expected JOIN teams t ON t.id = expected.team_id`);
  for (const { role, ...team } of joined)
    await setRole(connection, { ...team, by: 'manifest', at }, { user: username, role }, undefined);
}

/**
 * Makes a user an expected member again of each team whose manifest lists its members. Call it before the
 * account is deleted.
 */
export async function restoreExpectedMembers(connection: Transaction, userId: number): Promise<void> {
  await connection.query(rows()`
    INSERT INTO team_expected (team_id, username, role)
    SELECT m.team_id, u.username, m.role FROM team_members m JOIN users u ON u.id = m.user_id
      JOIN teams t ON t.id = m.team_id AND t.members_by_manifest
    WHERE m.user_id = ${userId} ON CONFLICT DO NOTHING`);
}

/** Returns the names of enabled providers that have a claim for groups. */
export async function groupProviders(connection: CommonQueryMethods): Promise<string[]> {
  const found = await connection.anyFirst(rows<{ canonical: string }>()`
    SELECT canonical FROM oauth_providers WHERE enabled AND groups_claim IS NOT NULL ORDER BY canonical`);
  return [...found];
}

/**
 * Notifies the operator about each team with groups, because a changed provider can change the roles in these
 * teams.
 */
export async function notifyGroupsChanged(connection: CommonQueryMethods): Promise<void> {
  await connection.query(rows()`
    SELECT pg_notify(${CHANNEL}, 'teams:' || team_id) FROM (SELECT DISTINCT team_id FROM team_groups) AS named`);
}

/**
 * Notifies the operator when the transaction commits. The operator copies the members into the Team's status.
 */
export async function notifyTeamChanged(connection: CommonQueryMethods, id: number): Promise<void> {
  const payload = encodeNotification({ topic: 'teams', team: id });
  await connection.query(rows()`SELECT pg_notify(${CHANNEL}, ${payload})`);
}

import { sql, type CommonQueryMethods, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Role } from '#domain/access/roles.ts';
import { cutPage, pageSize } from '#flows/page.ts';
import type {
  Account,
  AccountChange,
  AccountStore,
  AccountTransaction,
  AuditedAct,
  AuditEntry,
  AccountToChange,
  StoredCredentials,
} from '#flows/people/ports.ts';
import { withAccessLock } from './access-lock.ts';
import { audit } from './audit-store.ts';
import { HELD_ROLES, highest } from './held-roles.ts';
import { joinTeams, restoreExpectedMembers } from './team-members.ts';

/** SQL: the highest role of user `u` in each team, by team name. Leaves out deleted teams. */
export const ROLES_BY_TEAM = sql.fragment`coalesce((
  SELECT jsonb_object_agg(r.name, r.role) FROM (
    SELECT t.name, ${highest(sql.fragment`h.role`)} AS role FROM ${HELD_ROLES} h JOIN teams t ON t.id = h.team_id
    WHERE h.user_id = u.id AND t.deleted_at IS NULL GROUP BY t.name) r), '{}')`;

const COLUMNS = sql.fragment`u.id, u.username, u.full_name AS "fullName", u.global_admin AS "globalAdmin",
  u.password_hash IS NOT NULL AS "hasPassword", u.must_change_password AS "mustChangePassword",
  u.disabled, u.created_at AS "createdAt", ${ROLES_BY_TEAM} AS teams`;

export function accountStore({ pool }: { pool: DatabasePool }): AccountStore {
  return {
    seedAdmin: async (admin, at) => await seedAdmin(pool, admin, at),
    async accounts(page) {
      const { before, after, search = '' } = page;
      const found = await pool.any(rows<Account & { teams: Record<string, Role> }>()`
        SELECT ${COLUMNS} FROM users u
        WHERE ${before === undefined ? sql.fragment`true` : sql.fragment`u.id < ${before}`}
          AND ${after === undefined ? sql.fragment`true` : sql.fragment`u.id > ${after}`}
          AND ${search === '' ? sql.fragment`true` : contains(search)}
        ORDER BY u.id ${after === undefined ? sql.fragment`DESC` : sql.fragment`ASC`} LIMIT ${pageSize(page) + 1}`);
      return cutPage(found, page);
    },
    async account(username) {
      const found = await pool.maybeOne(rows<Account>()`
        SELECT ${COLUMNS} FROM users u WHERE u.username = ${username}`);
      return found ?? undefined;
    },
    async credentials(username) {
      const found = await pool.maybeOne(rows<StoredCredentials & { passwordHash: string | null }>()`
        SELECT id, username, password_hash AS "passwordHash", token_gen AS "tokenGen",
          must_change_password AS "mustChangePassword"
        FROM users WHERE username = ${username}`);
      return found === null ? undefined : withoutNulls(found);
    },
    createAccount: async (account, act) => await createAccount(pool, account, act),
    withAccount: async (username, work) =>
      await withAccessLock(pool, async (connection) => await work(accountTransaction(connection, username))),
  };
}

/**
 * SQL condition: the user name or the full name contains the search text. No character of the text is a
 * wildcard.
 */
const contains = (search: string) =>
  sql.fragment`(strpos(u.username, lower(${search})) > 0 OR strpos(lower(u.full_name), lower(${search})) > 0)`;

function accountTransaction(connection: Transaction, username: string): AccountTransaction {
  return {
    account: async () => await accountToChange(connection, username),
    async change(account, change, act) {
      const { password, disabled } = change;
      await updateAccount(connection, username, change);
      if (password !== undefined || disabled === true) await endSessionsOf(connection, account.id);
      const endedTokens =
        password !== undefined && !password.keepTokens ? await endTokensOf(connection, account.id) : 0;
      for (const entry of auditEntriesOf(change, account, endedTokens))
        await audit(connection, { ...auditFields(username, act), ...entry });
    },
    async remove({ id }, act) {
      await restoreExpectedMembers(connection, id);
      await connection.query(rows()`DELETE FROM users WHERE id = ${id}`);
      await audit(connection, { ...auditFields(username, act), action: 'user.deleted' });
    },
  };
}

async function createAccount(
  pool: DatabasePool,
  account: Parameters<AccountStore['createAccount']>[0],
  act: AuditedAct,
): Promise<'created' | 'taken'> {
  const { username, fullName, globalAdmin, mustChangePassword } = account;
  const passwordHash = account.passwordHash ?? null;
  return await withAccessLock(pool, async (connection) => {
    const created = await connection.maybeOneFirst(rows<{ id: number }>()`
      INSERT INTO users (username, full_name, global_admin, password_hash, must_change_password, created_at)
      VALUES (${username}, ${fullName}, ${globalAdmin}, ${passwordHash}, ${mustChangePassword}, ${timestamp(act.at)})
      ON CONFLICT (username) DO NOTHING RETURNING id`);
    if (created === null) return 'taken';
    const details = { global_admin: globalAdmin };
    await audit(connection, { ...auditFields(username, act), action: 'user.created', details });
    await joinTeams(connection, username, act.at);
    return 'created';
  });
}

async function seedAdmin(
  pool: DatabasePool,
  { username, passwordHash }: { username: string; passwordHash: string },
  at: Date,
): Promise<'seeded' | 'not-empty'> {
  return await withAccessLock(pool, async (connection) => {
    const created = await connection.maybeOneFirst(rows<{ id: number }>()`
      INSERT INTO users (username, password_hash, must_change_password, global_admin, created_at)
      SELECT ${username}, ${passwordHash}, true, true, ${timestamp(at)} WHERE NOT EXISTS (SELECT 1 FROM users)
        RETURNING id`);
    if (created === null) return 'not-empty';
    const details = { global_admin: true };
    await audit(connection, {
      ...auditFields(username, { by: 'system', at }),
      action: 'user.created',
      details,
    });
    return 'seeded';
  });
}

function auditFields(username: string, { by, at }: { by: string; at: Date }) {
  return { actor: by, targetType: 'user', target: username, at };
}

function auditEntriesOf(
  { fullName, globalAdmin, disabled, password }: AccountChange,
  account: AccountToChange,
  endedTokens: number,
): Pick<AuditEntry, 'action' | 'details'>[] {
  const entries: Pick<AuditEntry, 'action' | 'details'>[] = [];
  if (fullName !== undefined) entries.push({ action: 'user.updated' });
  if (globalAdmin !== undefined && globalAdmin !== account.hasAdminRole)
    entries.push({ action: 'user.global_admin_changed', details: { global_admin: globalAdmin } });
  if (disabled !== undefined && disabled !== account.disabled)
    entries.push({ action: disabled ? 'user.disabled' : 'user.enabled' });
  if (password !== undefined)
    entries.push({
      action: password.mustChange ? 'user.password_reset' : 'user.password_changed',
      ...(endedTokens > 0 && { details: { tokens_deleted: endedTokens } }),
    });
  return entries;
}

async function updateAccount(
  connection: CommonQueryMethods,
  username: string,
  { fullName, globalAdmin, disabled, password }: AccountChange,
): Promise<void> {
  const passwordColumns =
    password === undefined
      ? sql.fragment``
      : sql.fragment`password_hash = ${password.hash}, must_change_password = ${password.mustChange},`;
  await connection.query(rows()`
    UPDATE users SET full_name = coalesce(${fullName ?? null}, full_name),
      global_admin = coalesce(${globalAdmin ?? null}, global_admin),
      disabled = coalesce(${disabled ?? null}, disabled), ${passwordColumns}
      token_gen = token_gen + ${password === undefined && disabled !== true ? 0 : 1}
    WHERE username = ${username}`);
}

export async function endSessionsOf(connection: CommonQueryMethods, userId: number): Promise<void> {
  await connection.query(rows()`
    DELETE FROM user_sessions WHERE id = ANY(ARRAY(
      SELECT id FROM user_sessions WHERE user_id = ${userId} ORDER BY id FOR UPDATE))`);
}

/** Deletes the API tokens of the user. Returns how many there were. */
export async function endTokensOf(connection: CommonQueryMethods, userId: number): Promise<number> {
  const { rowCount } = await connection.query(rows()`DELETE FROM api_tokens WHERE user_id = ${userId}`);
  return rowCount;
}

/**
 * The caller must hold the access lock. Otherwise the number of other admins could change before the commit.
 */
async function accountToChange(
  connection: CommonQueryMethods,
  username: string,
): Promise<AccountToChange | undefined> {
  const found = await connection.maybeOne(rows<Omit<AccountToChange, 'username'>>()`
    SELECT u.id, u.global_admin AND NOT u.disabled AS "globalAdmin", u.global_admin AS "hasAdminRole", u.disabled,
      (SELECT count(*) FROM users o WHERE o.global_admin AND NOT o.disabled AND o.id <> u.id) AS "otherGlobalAdmins",
      ARRAY(
        SELECT t.name FROM team_members m JOIN teams t ON t.id = m.team_id
        WHERE m.user_id = u.id AND m.role = 'admin' AND NOT u.disabled AND t.deleted_at IS NULL AND NOT EXISTS (
          SELECT 1 FROM team_members o JOIN users a ON a.id = o.user_id AND NOT a.disabled
          WHERE o.team_id = t.id AND o.role = 'admin' AND o.user_id <> u.id)
        ORDER BY t.name) AS "lastAdminOf"
    FROM users u WHERE u.username = ${username}`);
  return found === null ? undefined : { ...found, username };
}

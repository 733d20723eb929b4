import type { DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { prepared, rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { Role } from '#domain/access/roles.ts';
import type { ApiToken, TokenStore, TokenToMake, TokenTransaction } from '#flows/people/token-ports.ts';
import { withAccessLock } from './access-lock.ts';
import { ROLES_BY_TEAM } from './account-store.ts';
import { audit } from './audit-store.ts';
import { toIdentity, type IdentityRow } from './user-session-store.ts';

/** The last use of a token is written at most once in this interval, so that most requests only read. */
const USE_WRITE_INTERVAL = '1 minute';

export function tokenStore({ pool }: { pool: DatabasePool }): TokenStore {
  return {
    withTokenOwner: async (token, work) =>
      await withAccessLock(pool, async (connection) => await work(tokenTransaction(connection, token))),
    async tokens(userId) {
      const found = await pool.any(rows<TokenRow>()`
        SELECT k.id, k.name, k.prefix, u.username, t.name AS team, k.role, k.created_at AS "createdAt",
          k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt"
        FROM api_tokens k JOIN users u ON u.id = k.user_id LEFT JOIN teams t ON t.id = k.team_id
        WHERE k.user_id = ${userId} ORDER BY k.id DESC`);
      return found.map(toToken);
    },
    async removeToken({ id, userId }, { by, at }) {
      return await pool.transaction(async (connection) => {
        const removed = await connection.maybeOneFirst(rows<{ name: string }>()`
          DELETE FROM api_tokens WHERE id = ${id} AND user_id = ${userId} RETURNING name`);
        if (removed === null) return false;
        await audit(connection, {
          actor: by,
          action: 'token.deleted',
          targetType: 'token',
          target: removed,
          at,
        });
        return true;
      });
    },
    async ownerOfToken(hash, at) {
      const found = await pool.maybeOne(prepared<IdentityRow & { team: string | null; role: Role | null }>(
        'identity_of_token',
      )`
        WITH shown AS (
          SELECT id, user_id, team_id, role FROM api_tokens
          WHERE hash = decode(${hash.toString('hex')}, 'hex')
            AND (expires_at IS NULL OR expires_at > ${timestamp(at)})),
        used AS (
          UPDATE api_tokens k SET last_used_at = ${timestamp(at)} FROM shown WHERE k.id = shown.id
            AND (k.last_used_at IS NULL OR k.last_used_at < ${timestamp(at)} - ${USE_WRITE_INTERVAL}::interval))
        SELECT u.id AS "userId", u.username AS user, u.global_admin AS "globalAdmin",
          u.must_change_password AS "mustChangePassword", ${ROLES_BY_TEAM} AS teams, t.name AS team, shown.role
        FROM shown JOIN users u ON u.id = shown.user_id AND NOT u.disabled LEFT JOIN teams t ON t.id = shown.team_id
        WHERE shown.team_id IS NULL OR t.deleted_at IS NULL`);
      if (found === null) return undefined;
      const { team, role, ...row } = found;
      return { owner: toIdentity(row), ...(team === null || role === null ? {} : { scope: { team, role } }) };
    },
  };
}

function tokenTransaction(connection: Transaction, token: TokenToMake): TokenTransaction {
  return {
    async sessionIsOpen() {
      const session = await connection.maybeOneFirst(rows<{ id: string }>()`
        SELECT id FROM user_sessions WHERE id = ${token.sessionId} AND user_id = ${token.userId}`);
      return session !== null;
    },
    async owner() {
      const team = token.scope?.team ?? null;
      const found = await connection.maybeOne(rows<IdentityRow & { tokens: number; hasTeam: boolean }>()`
        SELECT u.id AS "userId", u.username AS user, u.global_admin AS "globalAdmin",
          u.must_change_password AS "mustChangePassword", ${ROLES_BY_TEAM} AS teams,
          (SELECT count(*) FROM api_tokens k WHERE k.user_id = u.id) AS tokens,
          ${team === null} OR EXISTS (SELECT 1 FROM teams WHERE name = ${team} AND deleted_at IS NULL) AS "hasTeam"
        FROM users u WHERE u.id = ${token.userId}`);
      if (found === null) return undefined;
      const { tokens, hasTeam, ...row } = found;
      return { identity: toIdentity(row), tokens, hasTeam };
    },
    async create(at) {
      const { username, name, scope } = token;
      const id = await insert(connection, token, at);
      if (id === null) return undefined;
      const details = scope === undefined ? { personal: true } : { personal: false, ...scope };
      const entry = { actor: username, action: 'token.created', targetType: 'token', target: name };
      await audit(connection, { ...entry, details, at });
      return id;
    },
  };
}

async function insert(connection: Transaction, token: TokenToMake, at: Date): Promise<number | null> {
  const { userId, name, hash, prefix, scope, expiresAt } = token;
  return await connection.maybeOneFirst(rows<{ id: number }>()`
    INSERT INTO api_tokens (user_id, name, hash, prefix, team_id, role, created_at, expires_at)
    SELECT ${userId}, ${name}, decode(${hash.toString('hex')}, 'hex'), ${prefix}, t.id, ${scope?.role ?? null},
      ${timestamp(at)}, ${expiresAt?.toISOString() ?? null}::timestamptz
    FROM (SELECT 1) AS one LEFT JOIN teams t ON t.name = ${scope?.team ?? null} AND t.deleted_at IS NULL
    ON CONFLICT (user_id, name) DO NOTHING RETURNING id`);
}

interface TokenRow extends Omit<ApiToken, 'scope' | 'expiresAt' | 'lastUsedAt'> {
  team: string | null;
  role: Role | null;
  expiresAt: Date | null;
  lastUsedAt: Date | null;
}

function toToken({ team, role, ...row }: TokenRow): ApiToken {
  return { ...withoutNulls(row), ...(team === null || role === null ? {} : { scope: { team, role } }) };
}

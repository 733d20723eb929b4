import { sql, type DatabasePool } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp } from '#adapters/database/connection/pool.ts';
import type { Identity } from '#domain/access/decide-access.ts';
import type { Role } from '#domain/access/roles.ts';
import type { SessionClock, SessionToOpen, UserSession, UserSessionStore } from '#flows/people/ports.ts';
import { withAccessLock } from './access-lock.ts';
import { endSessionsOf, endTokensOf, ROLES_BY_TEAM } from './account-store.ts';
import { audit } from './audit-store.ts';

/**
 * The most sessions of one account. The oldest are deleted, because sessions without an expiry would
 * otherwise accumulate.
 */
const MAX_SESSIONS = 50;
/**
 * The last use of a session is written at most once in this time, or in a tenth of the idle limit if that is
 * shorter, so that most requests only read.
 */
const USE_WRITE_SECONDS = 60;

export function userSessionStore({ pool }: { pool: DatabasePool }): UserSessionStore {
  return {
    openSession: async (session) => await openSession(pool, session),
    async identityOfSession({ id, userId, tokenGen }, { at, idleSeconds }) {
      const useWriteSeconds =
        idleSeconds > 0 ? Math.min(USE_WRITE_SECONDS, idleSeconds / 10) : USE_WRITE_SECONDS;
      const found = await pool.maybeOne(rows<IdentityRow & { openedAt: Date }>()`
        WITH session AS (
          SELECT * FROM user_sessions WHERE id = ${id} AND user_id = ${userId} AND ${isOpen({ at, idleSeconds })}),
        used AS (
          UPDATE user_sessions u SET used_at = ${timestamp(at)} FROM session
          WHERE u.id = session.id AND u.used_at < ${timestamp(at)} - make_interval(secs => ${useWriteSeconds}))
        SELECT s.opened_at AS "openedAt", u.id AS "userId", u.username AS user, u.global_admin AS "globalAdmin",
          u.must_change_password AND NOT s.by_provider AS "mustChangePassword", ${ROLES_BY_TEAM} AS teams
        FROM session s JOIN users u ON u.id = s.user_id
        WHERE u.token_gen = ${tokenGen} AND NOT u.disabled`);
      if (found === null) return undefined;
      const { openedAt, ...row } = found;
      return { ...toIdentity(row), credential: 'session', sessionId: id, signedInAt: openedAt.getTime() };
    },
    async sessions(userId, now) {
      const found = await pool.any(rows<Omit<UserSession, 'expiresAt'> & { expiresAt: Date | null }>()`
        SELECT id, opened_at AS "openedAt", expires_at AS "expiresAt", used_at AS "usedAt", address, client
        FROM user_sessions WHERE user_id = ${userId} AND ${isOpen(now)} ORDER BY opened_at DESC`);
      return found.map(withoutNulls);
    },
    async endSession({ id, userId }, { by, at }) {
      return await pool.transaction(async (connection) => {
        const ended = await connection.maybeOneFirst(rows<{ id: string }>()`
          DELETE FROM user_sessions WHERE id = ${id} AND user_id = ${userId} RETURNING id`);
        if (ended === null) return false;
        await audit(connection, { actor: by, action: 'user.signed_out', targetType: 'user', target: by, at });
        return true;
      });
    },
    async endSessions(userId, keepTokens, { by, at }) {
      // The creation of a token takes the same lock. So a token that is created at the same moment either is
      // deleted here, or is refused because its session has ended.
      await withAccessLock(pool, async (connection) => {
        await connection.query(rows()`UPDATE users SET token_gen = token_gen + 1 WHERE id = ${userId}`);
        await endSessionsOf(connection, userId);
        const ended = keepTokens ? 0 : await endTokensOf(connection, userId);
        await audit(connection, {
          actor: by,
          action: 'user.signed_out_everywhere',
          ...(ended > 0 && { details: { tokens_deleted: ended } }),
          targetType: 'user',
          target: by,
          at,
        });
      });
    },
  };
}

/** SQL condition: not expired and, with an idle limit, not idle for too long. */
function isOpen({ at, idleSeconds }: SessionClock) {
  const idle = sql.fragment`used_at > ${timestamp(at)} - make_interval(secs => ${idleSeconds})`;
  return sql.fragment`(expires_at IS NULL OR expires_at > ${timestamp(at)})
    AND ${idleSeconds > 0 ? idle : sql.fragment`true`}`;
}

async function openSession(pool: DatabasePool, session: SessionToOpen): Promise<boolean> {
  const {
    id,
    userId,
    username,
    tokenGen,
    openedAt,
    usedAt = openedAt,
    expiresAt,
    address,
    client,
    action,
    byProvider = false,
  } = session;
  return await pool.transaction(async (connection) => {
    const expires = expiresAt === undefined ? null : expiresAt.toISOString();
    // Locks the account. So a password change at the same moment either waits and ends the new session, or
    // comes first and no session is opened.
    const opened = await connection.maybeOneFirst(rows<{ id: string }>()`
        INSERT INTO user_sessions (id, user_id, opened_at, used_at, expires_at, address, client, by_provider)
        SELECT ${id}, id, ${timestamp(openedAt)}, ${timestamp(usedAt)}, ${expires}::timestamptz, ${address},
          ${client}, ${byProvider}
        FROM users WHERE id = ${userId} AND token_gen = ${tokenGen} AND NOT disabled FOR SHARE RETURNING id`);
    if (opened === null) return false;
    await connection.query(rows()`
        DELETE FROM user_sessions WHERE id = ANY(ARRAY(
          SELECT id FROM user_sessions
          WHERE user_id = ${userId} AND (expires_at <= ${timestamp(usedAt)} OR id IN (
            SELECT id FROM user_sessions WHERE user_id = ${userId} AND id <> ${id}
            ORDER BY opened_at DESC OFFSET ${MAX_SESSIONS - 1}))
          ORDER BY id FOR UPDATE))`);
    const details = { address, client };
    await audit(connection, {
      actor: username,
      action,
      targetType: 'user',
      target: username,
      details,
      at: usedAt,
    });
    return true;
  });
}

export interface IdentityRow {
  userId: number;
  user: string;
  globalAdmin: boolean;
  mustChangePassword: boolean;
  teams: Record<string, Role>;
}

export function toIdentity({ teams, ...row }: IdentityRow): Identity {
  return { ...row, teams: new Map(Object.entries(teams)) };
}

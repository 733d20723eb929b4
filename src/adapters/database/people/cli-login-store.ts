import type { DatabasePool } from 'slonik';
import { rows, timestamp } from '#adapters/database/connection/pool.ts';
import type { CliLoginStore, LoginOrigin, PendingCliLogin } from '#flows/people/cli-login-ports.ts';
import type { AuditedAct } from '#flows/people/ports.ts';
import { audit } from './audit-store.ts';

/**
 * Stores logins of the command line, which wait some minutes for a confirmation in a browser. Each new login
 * deletes some logins that expired more than an hour ago.
 */
export function cliLoginStore({ pool }: { pool: DatabasePool }): CliLoginStore {
  return {
    async beginCliLogin({ challenge, code, client, address, startedAt, expiresAt }) {
      const begun = await pool.maybeOneFirst(rows<{ code: string }>()`
        WITH expired AS (
          DELETE FROM cli_logins WHERE challenge IN (
            SELECT challenge FROM cli_logins WHERE expires_at < now() - interval '1 hour' LIMIT 100
              FOR UPDATE SKIP LOCKED))
        INSERT INTO cli_logins (challenge, code, client, address, started_at, expires_at)
        VALUES (${challenge}, ${code}, ${client}, ${address}, ${timestamp(startedAt)}, ${timestamp(expiresAt)})
        ON CONFLICT DO NOTHING RETURNING code`);
      return begun !== null;
    },
    async pendingCliLogin(code, at) {
      const found = await pool.maybeOne(rows<PendingCliLogin>()`
        SELECT code, client, address, started_at AS "startedAt", expires_at AS "expiresAt"
        FROM cli_logins WHERE code = ${code} AND session_id IS NULL AND expires_at > ${timestamp(at)}`);
      return found ?? undefined;
    },
    async confirmCliLogin({ code, sessionId, userId }, act) {
      return await pool.transaction(async (connection) => {
        const asker = await connection.maybeOne(rows<LoginOrigin>()`
          UPDATE cli_logins SET session_id = s.id FROM user_sessions s
          WHERE code = ${code} AND session_id IS NULL AND cli_logins.expires_at > ${timestamp(act.at)}
            AND s.id = ${sessionId} AND s.user_id = ${userId}
          RETURNING cli_logins.client, cli_logins.address`);
        if (asker === null) return false;
        await audit(connection, entryOf('user.cli_login_confirmed', asker, act));
        return true;
      });
    },
    async refuseCliLogin(code, act) {
      return await pool.transaction(async (connection) => {
        const asker = await connection.maybeOne(rows<LoginOrigin>()`
          DELETE FROM cli_logins WHERE code = ${code} AND session_id IS NULL RETURNING client, address`);
        if (asker === null) return false;
        await audit(connection, entryOf('user.cli_login_refused', asker, act));
        return true;
      });
    },
    async takeCliLogin(challenge, at) {
      // The command line asks every two seconds, and nearly always the login is not confirmed yet. So this
      // query only reads.
      const isConfirmed = await pool.maybeOneFirst(rows<{ isConfirmed: boolean }>()`
        SELECT session_id IS NOT NULL AS "isConfirmed"
        FROM cli_logins WHERE challenge = ${challenge} AND expires_at > ${timestamp(at)}`);
      if (isConfirmed === null) return 'unknown';
      if (!isConfirmed) return 'pending';
      const found = await pool.maybeOne(rows<TakenRow>()`
        WITH taken AS (
          DELETE FROM cli_logins WHERE challenge = ${challenge} AND session_id IS NOT NULL
            AND expires_at > ${timestamp(at)} RETURNING session_id)
        SELECT u.id, u.username, u.token_gen AS "tokenGen", u.must_change_password AS "mustChangePassword",
          s.opened_at AS "signedInAt", s.by_provider AS "byProvider"
        FROM taken JOIN user_sessions s ON s.id = taken.session_id JOIN users u ON u.id = s.user_id`);
      // Another request may have taken the login meanwhile.
      if (found === null) return 'unknown';
      const { signedInAt, byProvider, ...account } = found;
      return { account, signedInAt, byProvider };
    },
  };
}

interface TakenRow {
  id: number;
  username: string;
  tokenGen: number;
  mustChangePassword: boolean;
  signedInAt: Date;
  byProvider: boolean;
}

const entryOf = (action: string, { client, address }: LoginOrigin, { by, at }: AuditedAct) => ({
  actor: by,
  action,
  targetType: 'user',
  target: by,
  details: { client, address },
  at,
});

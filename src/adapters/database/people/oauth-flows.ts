import type { DatabasePool } from 'slonik';
import { rows, timestamp, type Transaction } from '#adapters/database/connection/pool.ts';
import type { OAuthFlow, OAuthStore } from '#flows/people/oauth-ports.ts';
import { withAccessLock } from './access-lock.ts';
import { audit } from './audit-store.ts';

type Flows = Pick<OAuthStore, 'openFlow' | 'takeFlow' | 'saveProfile' | 'completeProfile'>;

/**
 * Stores sign-ins in progress, which last some minutes. Each new sign-in deletes some that expired more than
 * an hour ago.
 */
export function oauthFlows(pool: DatabasePool): Flows {
  return {
    async openFlow(stateHash, { provider, nonce, verifier, browserHash, link }, expiresAt) {
      const { userId = null, sessionId = null } = link ?? {};
      // A flow that links an identity to an account begins only while the session of the account is open.
      const opened = await pool.maybeOneFirst(rows<{ state_hash: string }>()`
        WITH expired AS (
          DELETE FROM oauth_flows WHERE state_hash IN (
            SELECT state_hash FROM oauth_flows WHERE expires_at < now() - interval '1 hour' LIMIT 100
              FOR UPDATE SKIP LOCKED))
        INSERT INTO oauth_flows (state_hash, provider, nonce, verifier, browser_hash, user_id, session_id, expires_at)
        SELECT ${stateHash}, ${provider}, ${nonce}, ${verifier}, ${browserHash}, ${userId}, ${sessionId},
          ${timestamp(expiresAt)}
        WHERE ${userId}::bigint IS NULL OR EXISTS (SELECT 1 FROM user_sessions WHERE id = ${sessionId}
          AND user_id = ${userId})
        RETURNING state_hash`);
      return opened !== null;
    },
    async takeFlow(stateHash, at) {
      const found = await pool.maybeOne(rows<TakenRow>()`
        DELETE FROM oauth_flows WHERE state_hash = ${stateHash}
        RETURNING provider, nonce, verifier, browser_hash AS "browserHash", user_id AS "userId",
          session_id AS "sessionId",
          expires_at <= ${timestamp(at)} AS "isExpired"`);
      if (found === null || found.isExpired) return undefined;
      const { isExpired: _, userId, sessionId, ...flow } = found;
      return userId === null ? flow : { ...flow, link: { userId, sessionId: sessionId ?? '' } };
    },
    async saveProfile(tokenHash, { provider, issuer, subject, browserHash, groups }, expiresAt) {
      await pool.query(rows()`
        WITH expired AS (
          DELETE FROM oauth_profiles WHERE token_hash IN (
            SELECT token_hash FROM oauth_profiles WHERE expires_at < now() - interval '1 hour' LIMIT 100
              FOR UPDATE SKIP LOCKED))
        INSERT INTO oauth_profiles (token_hash, provider, issuer, subject, browser_hash, expires_at, groups)
        VALUES (${tokenHash}, ${provider}, ${issuer}, ${subject}, ${browserHash}, ${timestamp(expiresAt)},
          ${JSON.stringify(groups)}::jsonb)`);
    },
    completeProfile: async (profile, at) =>
      await withAccessLock(pool, async (connection) => await createAccountOf(connection, profile, at)),
  };
}

type TakenRow = Omit<OAuthFlow, 'link'> & {
  userId: number | null;
  sessionId: string | null;
  isExpired: boolean;
};

interface PendingProfile {
  provider: string;
  issuer: string;
  subject: string;
  /** JSON array of the groups that the provider reported. */
  groups: string;
}

async function createAccountOf(
  connection: Transaction,
  { tokenHash, browserHash, username, fullName }: Parameters<Flows['completeProfile']>[0],
  at: Date,
): Promise<'created' | 'taken' | 'unknown'> {
  // Reads the provider again, because an admin may have disabled it since the sign-in began.
  const pendingProfile = await connection.maybeOne(rows<PendingProfile>()`
    SELECT f.provider, f.issuer, f.subject, f.groups::text AS groups FROM oauth_profiles f
      JOIN oauth_providers p ON p.canonical = f.provider AND p.enabled
    WHERE f.token_hash = ${tokenHash} AND f.browser_hash = ${browserHash} AND f.expires_at > ${timestamp(at)}
      AND NOT EXISTS (SELECT 1 FROM oauth_identities i WHERE i.issuer = f.issuer AND i.subject = f.subject)`);
  if (pendingProfile === null) return 'unknown';
  const { provider, issuer, subject, groups } = pendingProfile;
  const id = await connection.maybeOneFirst(rows<{ id: number }>()`
    INSERT INTO users (username, full_name, created_at) SELECT ${username}, ${fullName}, ${timestamp(at)}
    -- A user name that a manifest lists as a member stays free: whoever took it would get that role.
    WHERE NOT EXISTS (SELECT 1 FROM team_expected WHERE username = ${username})
    ON CONFLICT (username) DO NOTHING RETURNING id`);
  if (id === null) return 'taken';
  await connection.query(rows()`
    INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at, groups)
    VALUES (${issuer}, ${subject}, ${id}, ${provider}, ${timestamp(at)}, ${groups}::jsonb)`);
  await connection.query(rows()`DELETE FROM oauth_profiles WHERE token_hash = ${tokenHash}`);
  const entry = { actor: username, at, action: 'user.created', targetType: 'user', target: username };
  await audit(connection, { ...entry, details: { provider } });
  return 'created';
}

import type { DatabasePool } from 'slonik';
import { holdEpoch } from '#adapters/database/connection/fence.ts';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, timestamp, type Database } from '#adapters/database/connection/pool.ts';
import type { LinkedIdentity, OAuthStore } from '#flows/people/oauth-ports.ts';
import type { StoredCredentials } from '#flows/people/ports.ts';
import { withAccessLock } from './access-lock.ts';
import { audit } from './audit-store.ts';
import { oauthFlows } from './oauth-flows.ts';
import { signInMethods, signInMethodsTransaction } from './sign-in-methods.ts';

/**
 * Stores providers, identities and sign-ins in progress. Changes after which someone might be unable to sign
 * in take the access lock.
 */
export function oauthStore(database: Database): OAuthStore {
  const { pool } = database;
  return {
    ...oauthFlows(pool),
    ...signInMethods(pool),
    withSignInMethods: async (work) =>
      await withAccessLock(pool, async (connection) => {
        await holdEpoch(database, connection);
        return await work(signInMethodsTransaction(connection));
      }),
    ...links(pool),
  };
}

function links(pool: DatabasePool): Pick<OAuthStore, 'accountOf' | 'saveGroups' | 'link' | 'links'> {
  return {
    async accountOf({ issuer, subject }) {
      const found = await pool.maybeOne(rows<StoredCredentials & { passwordHash: string | null }>()`
        SELECT u.id, u.username, u.password_hash AS "passwordHash", u.token_gen AS "tokenGen",
          u.must_change_password AS "mustChangePassword"
        FROM oauth_identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = ${issuer}
          AND i.subject = ${subject}`);
      return found === null ? undefined : withoutNulls(found);
    },
    saveGroups: async (identity, groups, at) => await saveGroups(pool, identity, groups, at),
    link: async ({ userId, sessionId }, { issuer, subject, provider, groups }, at) =>
      await withAccessLock(pool, async (connection) => {
        const session = await connection.maybeOneFirst(rows<{ id: string }>()`
          SELECT id FROM user_sessions WHERE id = ${sessionId} AND user_id = ${userId} FOR SHARE`);
        if (session === null) return 'over';
        const owner = await connection.one(rows<{ user_id: number; username: string }>()`
          INSERT INTO oauth_identities AS i (issuer, subject, user_id, provider, linked_at, groups)
          VALUES (${issuer}, ${subject}, ${userId}, ${provider}, ${timestamp(at)}, ${JSON.stringify(groups)}::jsonb)
          ON CONFLICT (issuer, subject) DO UPDATE
            SET provider = CASE i.user_id WHEN excluded.user_id THEN excluded.provider ELSE i.provider END,
              groups = CASE i.user_id WHEN excluded.user_id THEN excluded.groups ELSE i.groups END
          RETURNING user_id, (SELECT username FROM users WHERE id = ${userId}) AS username`);
        if (owner.user_id !== userId) return 'taken';
        const entry = { actor: owner.username, targetType: 'user', target: owner.username };
        await audit(connection, { ...entry, at, action: 'user.linked', details: { provider } });
        return 'linked';
      }),
    async links(userId) {
      const found = await pool.any(rows<LinkedIdentity & { displayName: string | null }>()`
        SELECT i.provider, p.display_name AS "displayName", i.linked_at AS "linkedAt"
        FROM oauth_identities i LEFT JOIN oauth_providers p ON p.canonical = i.provider
        WHERE i.user_id = ${userId} ORDER BY i.linked_at`);
      return found.map(withoutNulls);
    },
  };
}

async function saveGroups(
  pool: DatabasePool,
  { issuer, subject }: { issuer: string; subject: string },
  groups: string[],
  at: Date,
): Promise<void> {
  const groupsJson = JSON.stringify(groups);
  await pool.transaction(async (connection) => {
    const username = await connection.maybeOneFirst(rows<{ username: string }>()`
      UPDATE oauth_identities i SET groups = ${groupsJson}::jsonb FROM users u
      WHERE i.issuer = ${issuer} AND i.subject = ${subject} AND u.id = i.user_id AND i.groups <> ${groupsJson}::jsonb
      RETURNING u.username`);
    if (username === null) return;
    const entry = { actor: username, targetType: 'user', target: username };
    await audit(connection, { ...entry, at, action: 'user.groups_changed', details: { groups } });
  });
}

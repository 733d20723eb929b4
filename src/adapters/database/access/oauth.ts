import { sql, type DatabasePool } from 'slonik';
import { rows, time, type Database } from '#adapters/database/pool.ts';
import { withoutNulls } from '#adapters/database/nulls.ts';
import type { Credentials } from '#flows/access-ports.ts';
import type { Kept, LinkedIdentity, OAuthStore } from '#flows/oauth-ports.ts';
import { audit } from './audit.ts';
import { oauthFlows } from './oauth-flows.ts';
import { localOf, offeredBy, providerRows, waysOf } from './oauth-providers.ts';
import { inTurn } from './turns.ts';

/** Providers, whom they know, and what is under way. Whatever could lock somebody out takes its turn. */
export function oauthStore(database: Database): OAuthStore {
  const { pool } = database;
  return {
    ...oauthFlows(pool),
    ...providerRows(database),
    local: async () => await localOf(pool),
    setLocal: async (local, act, refuse) =>
      await inTurn(pool, async (connection): Promise<Kept> => {
        const offered = await offeredBy(connection);
        const message = local ? undefined : refuse(await waysOf(connection, sql.fragment`true`), offered);
        if (message !== undefined) return { answer: 'refused', message };
        if (local !== offered.local) {
          await connection.query(rows()`UPDATE auth_settings SET local = ${local}`);
          const { by: actor, at } = act;
          await audit(connection, {
            actor,
            at,
            action: 'auth_settings.changed',
            targetType: 'auth_settings',
            target: 'local',
            details: { local },
          });
        }
        return { answer: 'done' };
      }),
    ...links(pool),
  };
}

function links(
  pool: DatabasePool,
): Pick<OAuthStore, 'accountOf' | 'saveGroups' | 'link' | 'links' | 'unlink'> {
  return {
    async accountOf({ issuer, subject }) {
      const found = await pool.maybeOne(rows<Credentials & { passwordHash: string | null }>()`
        SELECT u.id, u.username, u.password_hash AS "passwordHash", u.token_gen AS "tokenGen",
          u.must_change_password AS "mustChangePassword"
        FROM oauth_identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = ${issuer} AND i.subject = ${subject}`);
      return found === null ? undefined : withoutNulls(found);
    },
    saveGroups: async (identity, groups, at) => await saveGroups(pool, identity, groups, at),
    link: async ({ userId, sessionId }, { issuer, subject, provider, groups }, at) =>
      await inTurn(pool, async (connection) => {
        const session = await connection.maybeOneFirst(rows<{ id: string }>()`
          SELECT id FROM user_sessions WHERE id = ${sessionId} AND user_id = ${userId} FOR SHARE`);
        if (session === null) return 'over';
        const owner = await connection.one(rows<{ user_id: number; username: string }>()`
          INSERT INTO oauth_identities AS i (issuer, subject, user_id, provider, linked_at, groups)
          VALUES (${issuer}, ${subject}, ${userId}, ${provider}, ${time(at)}, ${JSON.stringify(groups)}::jsonb)
          ON CONFLICT (issuer, subject) DO UPDATE
            SET provider = CASE i.user_id WHEN excluded.user_id THEN excluded.provider ELSE i.provider END,
              groups = CASE i.user_id WHEN excluded.user_id THEN excluded.groups ELSE i.groups END
          RETURNING user_id, (SELECT username FROM users WHERE id = ${userId}) AS username`);
        if (owner.user_id !== userId) return 'taken';
        const who = { actor: owner.username, targetType: 'user', target: owner.username };
        await audit(connection, { ...who, at, action: 'user.linked', details: { provider } });
        return 'linked';
      }),
    async links(userId) {
      const found = await pool.any(rows<LinkedIdentity & { displayName: string | null }>()`
        SELECT i.provider, p.display_name AS "displayName", i.linked_at AS "linkedAt"
        FROM oauth_identities i LEFT JOIN oauth_providers p ON p.canonical = i.provider
        WHERE i.user_id = ${userId} ORDER BY i.linked_at`);
      return found.map(withoutNulls);
    },
    unlink: async ({ userId, provider }, { by, at }, refuse) =>
      await inTurn(pool, async (connection): Promise<Kept> => {
        const [user] = await waysOf(connection, sql.fragment`u.id = ${userId}`);
        if (user === undefined) return { answer: 'unknown' };
        const message = refuse(user, provider, await offeredBy(connection));
        if (message !== undefined) return { answer: 'refused', message };
        const gone = await connection.anyFirst(rows<{ subject: string }>()`
          DELETE FROM oauth_identities WHERE user_id = ${userId} AND provider = ${provider} RETURNING subject`);
        if (gone.length === 0) return { answer: 'unknown' };
        await audit(connection, {
          actor: by,
          at,
          action: 'user.unlinked',
          targetType: 'user',
          target: by,
          details: { provider },
        });
        return { answer: 'done' };
      }),
  };
}

async function saveGroups(
  pool: DatabasePool,
  { issuer, subject }: { issuer: string; subject: string },
  groups: string[],
  at: Date,
): Promise<void> {
  const told = JSON.stringify(groups);
  await pool.transaction(async (connection) => {
    const username = await connection.maybeOneFirst(rows<{ username: string }>()`
      UPDATE oauth_identities i SET groups = ${told}::jsonb FROM users u
      WHERE i.issuer = ${issuer} AND i.subject = ${subject} AND u.id = i.user_id AND i.groups <> ${told}::jsonb
      RETURNING u.username`);
    if (username === null) return;
    const who = { actor: username, targetType: 'user', target: username };
    await audit(connection, { ...who, at, action: 'user.groups_changed', details: { groups } });
  });
}

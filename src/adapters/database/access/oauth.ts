import { sql, type CommonQueryMethods, type DatabasePool } from 'slonik';
import { holdEpoch } from '#adapters/database/fence.ts';
import { rows, time, type Database, type Transaction } from '#adapters/database/pool.ts';
import { withoutNulls } from '#adapters/database/nulls.ts';
import type { Offered, Ways } from '#domain/access/lock-out.ts';
import type { Act, Credentials } from '#flows/access-ports.ts';
import type { Kept, LinkedIdentity, OAuthStore, StoredProvider } from '#flows/oauth-ports.ts';
import { audit } from './audit.ts';
import { oauthFlows } from './oauth-flows.ts';
import { inTurn } from './turns.ts';

/** Providers, whom they know, and what is under way. Whatever could lock somebody out takes its turn. */
export function oauthStore(database: Database): OAuthStore {
  const { pool } = database;
  return {
    ...oauthFlows(pool),
    providers: async () => await providersOf(pool),
    local: async () => await localOf(pool),
    saveProvider: async (provider, act, refuse) =>
      await inTurn(pool, async (connection): Promise<Kept> => {
        await holdEpoch(database, connection);
        const known = (await providersOf(connection)).find(
          ({ canonical }) => canonical === provider.canonical,
        );
        const same = provider.enabled && (known === undefined || issuerOf(known) === issuerOf(provider));
        const message = same ? undefined : await refusal(connection, provider.canonical, refuse);
        if (message !== undefined) return { answer: 'refused', message };
        if (known !== undefined && JSON.stringify(known) === JSON.stringify(provider))
          return { answer: 'done' };
        await save(connection, provider);
        await audit(
          connection,
          entry(known === undefined ? 'provider.created' : 'provider.updated', provider.canonical, act),
        );
        return { answer: 'done' };
      }),
    removeProvider: async (canonical, act, refuse) =>
      await inTurn(pool, async (connection): Promise<Kept> => {
        await holdEpoch(database, connection);
        const message = await refusal(connection, canonical, refuse);
        if (message !== undefined) return { answer: 'refused', message };
        const gone = await connection.maybeOneFirst(rows<{ canonical: string }>()`
          DELETE FROM oauth_providers WHERE canonical = ${canonical} RETURNING canonical`);
        if (gone === null) return { answer: 'unknown' };
        await audit(connection, entry('provider.deleted', canonical, act));
        return { answer: 'done' };
      }),
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

function links(pool: DatabasePool): Pick<OAuthStore, 'accountOf' | 'link' | 'links' | 'unlink'> {
  return {
    async accountOf({ issuer, subject }) {
      const found = await pool.maybeOne(rows<Credentials & { passwordHash: string | null }>()`
        SELECT u.id, u.username, u.password_hash AS "passwordHash", u.token_gen AS "tokenGen",
          u.must_change_password AS "mustChangePassword"
        FROM oauth_identities i JOIN users u ON u.id = i.user_id WHERE i.issuer = ${issuer} AND i.subject = ${subject}`);
      return found === null ? undefined : withoutNulls(found);
    },
    link: async (userId, { issuer, subject, provider }, at) =>
      await inTurn(pool, async (connection) => {
        const owner = await connection.one(rows<{ user_id: number; username: string }>()`
          INSERT INTO oauth_identities AS i (issuer, subject, user_id, provider, linked_at)
          VALUES (${issuer}, ${subject}, ${userId}, ${provider}, ${time(at)})
          ON CONFLICT (issuer, subject) DO UPDATE
            SET provider = CASE i.user_id WHEN excluded.user_id THEN excluded.provider ELSE i.provider END
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

function entry(action: string, target: string, { by: actor, at }: Act) {
  return { actor, at, action, targetType: 'provider', target };
}

async function refusal(
  connection: Transaction,
  canonical: string,
  refuse: (users: Ways[], provider: string, offered: Offered) => string | undefined,
): Promise<string | undefined> {
  const users = await waysOf(
    connection,
    sql.fragment`EXISTS (
    SELECT 1 FROM oauth_identities o WHERE o.user_id = u.id AND o.provider = ${canonical})`,
  );
  return refuse(users, canonical, await offeredBy(connection));
}

/** A link counts only while its provider speaks for the issuer that it was made with. */
async function waysOf(
  connection: CommonQueryMethods,
  where: ReturnType<typeof sql.fragment>,
): Promise<Ways[]> {
  const found = await connection.any(rows<Ways>()`
    SELECT u.username, u.password_hash IS NOT NULL AS "hasPassword", ARRAY(
      SELECT i.provider FROM oauth_identities i JOIN oauth_providers p ON p.canonical = i.provider AND p.issuer = i.issuer
      WHERE i.user_id = u.id) AS linked
    FROM users u WHERE ${where} ORDER BY u.username`);
  return [...found];
}

async function offeredBy(connection: CommonQueryMethods): Promise<Offered> {
  const providers = (await providersOf(connection)).filter(({ enabled }) => enabled);
  return { local: await localOf(connection), providers: providers.map(({ canonical }) => canonical) };
}

async function localOf(connection: CommonQueryMethods): Promise<boolean> {
  return await connection.oneFirst(rows<{ local: boolean }>()`SELECT local FROM auth_settings`);
}

type Row = {
  [Key in keyof StoredProvider]-?: undefined extends StoredProvider[Key]
    ? StoredProvider[Key] | null
    : StoredProvider[Key];
};

async function providersOf(connection: CommonQueryMethods): Promise<StoredProvider[]> {
  const found = await connection.any(rows<Row>()`
    SELECT canonical, display_name AS "displayName", type, client_id AS "clientId", issuer_url AS "issuerUrl",
      auth_url AS "authUrl", token_url AS "tokenUrl", user_info_url AS "userInfoUrl", scopes,
      username_claim AS "usernameClaim", enabled, secret_key AS "secretKey"
    FROM oauth_providers ORDER BY canonical`);
  return found.map(withoutNulls);
}

/** Whose subjects a provider names. A provider without an issuer is known by what describes its users. */
function issuerOf({ issuerUrl, userInfoUrl }: StoredProvider): string {
  return issuerUrl ?? userInfoUrl ?? '';
}

async function save(connection: Transaction, provider: StoredProvider): Promise<void> {
  const { canonical, type, clientId, enabled, secretKey, scopes } = provider;
  await connection.query(rows()`
    INSERT INTO oauth_providers (canonical, display_name, type, client_id, secret_key, issuer_url, auth_url, token_url,
      user_info_url, scopes, username_claim, enabled, issuer)
    VALUES (${canonical}, ${text(provider.displayName)}, ${type}, ${clientId}, ${secretKey}, ${text(provider.issuerUrl)},
      ${text(provider.authUrl)}, ${text(provider.tokenUrl)}, ${text(provider.userInfoUrl)},
      ${scopes === undefined ? null : JSON.stringify(scopes)}::jsonb, ${text(provider.usernameClaim)}, ${enabled},
      ${issuerOf(provider)})
    ON CONFLICT (canonical) DO UPDATE SET display_name = excluded.display_name, type = excluded.type,
      client_id = excluded.client_id, secret_key = excluded.secret_key, issuer_url = excluded.issuer_url,
      auth_url = excluded.auth_url, token_url = excluded.token_url, user_info_url = excluded.user_info_url,
      scopes = excluded.scopes, username_claim = excluded.username_claim, enabled = excluded.enabled,
      issuer = excluded.issuer`);
}

const text = (value: string | undefined): string | null => value ?? null;

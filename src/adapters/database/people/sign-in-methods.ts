import { sql, type CommonQueryMethods } from 'slonik';
import { withoutNulls } from '#adapters/database/connection/nulls.ts';
import { rows, type Transaction } from '#adapters/database/connection/pool.ts';
import type { AccountSignIn } from '#domain/access/lock-out.ts';
import type { SignInMethods, SignInMethodsTransaction, StoredProvider } from '#flows/people/oauth-ports.ts';
import { audit } from './audit-store.ts';
import { notifyGroupsChanged } from './team-members.ts';

export function signInMethods(connection: CommonQueryMethods): SignInMethods {
  return {
    providers: async () => await providersOf(connection),
    local: async () => await connection.oneFirst(rows<{ local: boolean }>()`SELECT local FROM auth_settings`),
    usersLinkedWith: async (canonical) =>
      await signInsWhere(
        connection,
        sql.fragment`EXISTS (
    SELECT 1 FROM oauth_identities o WHERE o.user_id = u.id AND o.provider = ${canonical})`,
      ),
  };
}

export function signInMethodsTransaction(connection: Transaction): SignInMethodsTransaction {
  return {
    ...signInMethods(connection),
    users: async () => await signInsWhere(connection, sql.fragment`true`),
    user: async (userId) => (await signInsWhere(connection, sql.fragment`u.id = ${userId}`))[0],
    saveProvider: async (provider, issuer) => await saveRow(connection, provider, issuer),
    async removeProvider(canonical) {
      const removed = await connection.maybeOneFirst(rows<{ canonical: string }>()`
        DELETE FROM oauth_providers WHERE canonical = ${canonical} RETURNING canonical`);
      return removed !== null;
    },
    async recordProvider(target, action, { by: actor, at }) {
      await notifyGroupsChanged(connection);
      await audit(connection, { actor, at, action, targetType: 'provider', target });
    },
    async setLocal(local, { by: actor, at }) {
      await connection.query(rows()`UPDATE auth_settings SET local = ${local}`);
      const auditFields = { action: 'auth_settings.changed', targetType: 'auth_settings', target: 'local' };
      await audit(connection, { actor, at, ...auditFields, details: { local } });
    },
    async unlink({ userId, provider }, { by, at }) {
      const removed = await connection.anyFirst(rows<{ subject: string }>()`
        DELETE FROM oauth_identities WHERE user_id = ${userId} AND provider = ${provider} RETURNING subject`);
      if (removed.length === 0) return false;
      const auditFields = { action: 'user.unlinked', targetType: 'user', target: by };
      await audit(connection, { actor: by, at, ...auditFields, details: { provider } });
      return true;
    },
  };
}

/**
 * Returns how the users whose row `u` meets the SQL condition can sign in. A linked identity counts only
 * while its provider still has the issuer with which the identity was linked.
 */
async function signInsWhere(
  connection: CommonQueryMethods,
  where: ReturnType<typeof sql.fragment>,
): Promise<AccountSignIn[]> {
  const found = await connection.any(rows<AccountSignIn>()`
    SELECT u.username, u.password_hash IS NOT NULL AS "hasPassword", ARRAY(
      SELECT i.provider FROM oauth_identities i JOIN oauth_providers p ON p.canonical = i.provider
        AND p.issuer = i.issuer
      WHERE i.user_id = u.id) AS linked
    FROM users u WHERE ${where} ORDER BY u.username`);
  return [...found];
}

type ProviderRow = {
  [Key in keyof StoredProvider]-?: undefined extends StoredProvider[Key]
    ? StoredProvider[Key] | null
    : StoredProvider[Key];
};

async function providersOf(connection: CommonQueryMethods): Promise<StoredProvider[]> {
  const found = await connection.any(rows<ProviderRow>()`
    SELECT canonical, display_name AS "displayName", type, client_id AS "clientId", issuer_url AS "issuerUrl",
      auth_url AS "authUrl", token_url AS "tokenUrl", user_info_url AS "userInfoUrl", scopes,
      username_claim AS "usernameClaim", groups_claim AS "groupsClaim", enabled, secret_key AS "secretKey",
        by_api AS "byApi",
      uid, generation
    FROM oauth_providers ORDER BY canonical`);
  return found.map(withoutNulls);
}

async function saveRow(connection: Transaction, provider: StoredProvider, issuer: string): Promise<void> {
  const { canonical, type, clientId, enabled, secretKey, scopes } = provider;
  await connection.query(rows()`
    INSERT INTO oauth_providers (canonical, display_name, type, client_id, secret_key, issuer_url, auth_url, token_url,
      user_info_url, scopes, username_claim, enabled, issuer, groups_claim, by_api, uid, generation)
    VALUES (${canonical}, ${orNull(provider.displayName)}, ${type}, ${clientId}, ${secretKey},
      ${orNull(provider.issuerUrl)},
      ${orNull(provider.authUrl)}, ${orNull(provider.tokenUrl)}, ${orNull(provider.userInfoUrl)},
      ${scopes === undefined ? null : JSON.stringify(scopes)}::jsonb, ${orNull(provider.usernameClaim)}, ${enabled},
      ${issuer}, ${orNull(provider.groupsClaim)}, ${provider.byApi ?? false}, ${orNull(provider.uid)},
      ${provider.generation ?? null})
    ON CONFLICT (canonical) DO UPDATE SET display_name = excluded.display_name, type = excluded.type,
      client_id = excluded.client_id, secret_key = excluded.secret_key, issuer_url = excluded.issuer_url,
      auth_url = excluded.auth_url, token_url = excluded.token_url, user_info_url = excluded.user_info_url,
      scopes = excluded.scopes, username_claim = excluded.username_claim, enabled = excluded.enabled,
      issuer = excluded.issuer, groups_claim = excluded.groups_claim, by_api = excluded.by_api, uid = excluded.uid,
      generation = excluded.generation`);
}

const orNull = (value: string | undefined): string | null => value ?? null;

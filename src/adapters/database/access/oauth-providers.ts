import { sql, type CommonQueryMethods } from 'slonik';
import { holdEpoch } from '#adapters/database/fence.ts';
import { rows, type Database, type Transaction } from '#adapters/database/pool.ts';
import { withoutNulls } from '#adapters/database/nulls.ts';
import type { Offered, Ways } from '#domain/access/lock-out.ts';
import type { Act } from '#flows/access-ports.ts';
import type { Kept, OAuthStore, StoredProvider } from '#flows/oauth-ports.ts';
import { audit } from './audit.ts';
import { tellOfGroups } from './team-members.ts';
import { inTurn } from './turns.ts';

type Rows = Pick<
  OAuthStore,
  'providers' | 'saveProvider' | 'removeProvider' | 'checkProvider' | 'checkRemoval'
>;

/** What the OAuthProvider objects say. Whatever could lock somebody out takes its turn. */
export function providerRows(database: Database): Rows {
  const { pool } = database;
  return {
    providers: async () => await providersOf(pool),
    saveProvider: async (provider, act, refuse) =>
      await inTurn(pool, async (connection) => {
        await holdEpoch(database, connection);
        return await save(connection, provider, act, refuse);
      }),
    removeProvider: async (canonical, act, refuse) =>
      await inTurn(pool, async (connection): Promise<Kept> => {
        await holdEpoch(database, connection);
        const message = await refusal(connection, canonical, refuse);
        if (message !== undefined) return { answer: 'refused', message };
        const gone = await connection.maybeOneFirst(rows<{ canonical: string }>()`
          DELETE FROM oauth_providers WHERE canonical = ${canonical} RETURNING canonical`);
        if (gone === null) return { answer: 'unknown' };
        await tellOfGroups(connection);
        await audit(connection, entry('provider.deleted', canonical, act));
        return { answer: 'done' };
      }),
    async checkProvider(provider, refuse) {
      return said(await refuseSaving(pool, await known(pool, provider), provider, refuse));
    },
    async checkRemoval(canonical, refuse) {
      return said(await refusal(pool, canonical, refuse));
    },
  };
}

function said(message: string | undefined): Kept {
  return message === undefined ? { answer: 'done' } : { answer: 'refused', message };
}

function entry(action: string, target: string, { by: actor, at }: Act) {
  return { actor, at, action, targetType: 'provider', target };
}

async function save(
  connection: Transaction,
  provider: StoredProvider,
  act: Act,
  refuse: Refuse,
): Promise<Kept> {
  const before = await known(connection, provider);
  if (before !== undefined && isNewer(before, provider)) return { answer: 'done' };
  const message = await refuseSaving(connection, before, provider, refuse);
  if (message !== undefined) return { answer: 'refused', message };
  const same = before !== undefined && definitionOf(before) === definitionOf(provider);
  if (!same || !isOfTheSameState(before, provider)) await saveRow(connection, provider);
  const action = before === undefined ? 'provider.created' : 'provider.updated';
  if (!same) await tellOfGroups(connection);
  if (!same) await audit(connection, entry(action, provider.canonical, act));
  return { answer: 'done' };
}

async function known(
  connection: CommonQueryMethods,
  { canonical }: StoredProvider,
): Promise<StoredProvider | undefined> {
  return (await providersOf(connection)).find((one) => one.canonical === canonical);
}

/** Only its loss, or another issuer, could lock people out. */
async function refuseSaving(
  connection: CommonQueryMethods,
  before: StoredProvider | undefined,
  wanted: StoredProvider,
  refuse: Refuse,
): Promise<string | undefined> {
  const keeps = wanted.enabled && (before === undefined || issuerOf(before) === issuerOf(wanted));
  return keeps ? undefined : await refusal(connection, wanted.canonical, refuse);
}

/** The row was written from a newer state of the same object. */
function isNewer(before: StoredProvider, { uid, generation = 0 }: StoredProvider): boolean {
  return uid !== undefined && before.uid === uid && (before.generation ?? 0) > generation;
}

function isOfTheSameState(one: StoredProvider, other: StoredProvider): boolean {
  return one.uid === other.uid && one.generation === other.generation;
}

/** How people sign in with it, and who may change it, as a text that is the same for the same. */
function definitionOf({ byApi = false, ...provider }: StoredProvider): string {
  const fields = Object.entries({ ...provider, byApi }).filter(([name]) => !STATE.has(name));
  return JSON.stringify(fields.toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

const STATE = new Set(['uid', 'generation']);

type Refuse = (users: Ways[], provider: string, offered: Offered) => string | undefined;

async function refusal(
  connection: CommonQueryMethods,
  canonical: string,
  refuse: Refuse,
): Promise<string | undefined> {
  const users = await waysOf(
    connection,
    sql.fragment`EXISTS (
    SELECT 1 FROM oauth_identities o WHERE o.user_id = u.id AND o.provider = ${canonical})`,
  );
  return refuse(users, canonical, await offeredBy(connection));
}

/** A link counts only while its provider speaks for the issuer that it was made with. */
export async function waysOf(
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

export async function offeredBy(connection: CommonQueryMethods): Promise<Offered> {
  const providers = (await providersOf(connection)).filter(({ enabled }) => enabled);
  return { local: await localOf(connection), providers: providers.map(({ canonical }) => canonical) };
}

export async function localOf(connection: CommonQueryMethods): Promise<boolean> {
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
      username_claim AS "usernameClaim", groups_claim AS "groupsClaim", enabled, secret_key AS "secretKey", by_api AS "byApi",
      uid, generation
    FROM oauth_providers ORDER BY canonical`);
  return found.map(withoutNulls);
}

/** Whose subjects a provider names. A provider without an issuer is known by what describes its users. */
function issuerOf({ issuerUrl, userInfoUrl }: StoredProvider): string {
  return issuerUrl ?? userInfoUrl ?? '';
}

async function saveRow(connection: Transaction, provider: StoredProvider): Promise<void> {
  const { canonical, type, clientId, enabled, secretKey, scopes } = provider;
  await connection.query(rows()`
    INSERT INTO oauth_providers (canonical, display_name, type, client_id, secret_key, issuer_url, auth_url, token_url,
      user_info_url, scopes, username_claim, enabled, issuer, groups_claim, by_api, uid, generation)
    VALUES (${canonical}, ${text(provider.displayName)}, ${type}, ${clientId}, ${secretKey}, ${text(provider.issuerUrl)},
      ${text(provider.authUrl)}, ${text(provider.tokenUrl)}, ${text(provider.userInfoUrl)},
      ${scopes === undefined ? null : JSON.stringify(scopes)}::jsonb, ${text(provider.usernameClaim)}, ${enabled},
      ${issuerOf(provider)}, ${text(provider.groupsClaim)}, ${provider.byApi ?? false}, ${text(provider.uid)},
      ${provider.generation ?? null})
    ON CONFLICT (canonical) DO UPDATE SET display_name = excluded.display_name, type = excluded.type,
      client_id = excluded.client_id, secret_key = excluded.secret_key, issuer_url = excluded.issuer_url,
      auth_url = excluded.auth_url, token_url = excluded.token_url, user_info_url = excluded.user_info_url,
      scopes = excluded.scopes, username_claim = excluded.username_claim, enabled = excluded.enabled,
      issuer = excluded.issuer, groups_claim = excluded.groups_claim, by_api = excluded.by_api, uid = excluded.uid,
      generation = excluded.generation`);
}

const text = (value: string | undefined): string | null => value ?? null;

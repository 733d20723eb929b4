import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { guardedWebFetch, type GuardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
import { writeAccountChange } from '#flows/people/manage-accounts.ts';
import type { StoredProvider } from '#flows/people/oauth-ports.ts';
import { removeProvider, saveProvider } from '#flows/people/save-provider.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import {
  Browser,
  CLIENT,
  startIdentityProvider,
  type IdentityProvider,
  type ReceivedPage,
} from '#testing/people/identity-provider.ts';
import { startPlainProvider, type PlainProvider } from '#testing/people/plain-oauth2.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/*
 * Accounts linked with identity providers: the gateway over a real Postgres, and real providers over HTTPS.
 */
let stores: TestStores;
let gateway: Gateway;
let one: IdentityProvider;
let two: IdentityProvider;
let plain: PlainProvider;
let browser: Browser;
let guarded: GuardedWebFetch;
let now: Date;
let monotonic = 0;

const callback = (canonical: string): string => `${ORIGIN}/auth/oauth/${canonical}/callback`;
const act = () => ({ by: 'manifest', at: now });

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  stores = await openStores();
  one = await startIdentityProvider([callback('one')]);
  two = await startIdentityProvider([callback('two')]);
  plain = await startPlainProvider();
  guarded = guardedWebFetch({ allowedRanges: ['127.0.0.0/8'], ca: [one.ca, two.ca, plain.ca].join('\n') });
  gateway = await openGateway(stores, {
    now: () => now,
    client: openIdClient({
      secretOf: async (key) => (key === 'known' ? CLIENT.secret : undefined),
      fetch: async (url, init) => await guarded.fetch(url, init),
      now: () => monotonic,
    }),
  });
});
beforeEach(async () => {
  now = new Date();
  await stores.empty();
  one.person = 'ann';
  two.person = 'ann-at-two';
  await saveDefinition(provider('one', one));
  await saveDefinition(provider('two', two));
  await gateway.account('root', { globalAdmin: true, password: 'correct horse' });
  browser = new Browser({ origin: ORIGIN, base: gateway.base }, [one.ca, two.ca, plain.ca]);
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([one.close(), two.close(), plain.close(), guarded.close()]);
  await stores.close();
});

function provider(
  canonical: string,
  { issuer }: IdentityProvider,
  more: Partial<StoredProvider> = {},
): StoredProvider {
  return {
    canonical,
    type: 'OIDC',
    clientId: CLIENT.id,
    issuerUrl: issuer,
    enabled: true,
    secretKey: 'known',
    ...more,
  };
}
const saveDefinition = async (definition: StoredProvider) =>
  await saveProvider(definition, act(), stores.access.oauth);

interface Data {
  data: {
    status: string;
    profile_token: string;
    username: string;
    full_name: string;
    session: { username: string; csrf_token: string };
  };
}
const dataOf = ({ text }: ReceivedPage): Data['data'] => {
  const answer: Data = JSON.parse(text);
  return answer.data;
};
const problemOf = ({ text }: ReceivedPage): { type: string; detail: string } => JSON.parse(text);
const start = async (canonical = 'one'): Promise<ReceivedPage> =>
  await browser.go(`${ORIGIN}/auth/oauth/${canonical}`);

async function complete(page: ReceivedPage, username: string) {
  const body = { profile_token: dataOf(page).profile_token, username, full_name: 'Ann A.', session: 'token' };
  return await gateway.ask<{ data: { token: string }; type: string }>('POST /auth/oauth/complete-profile', {
    body,
    headers: { cookie: browser.cookiesOf(ORIGIN) },
  });
}

/** Signs a new person in and creates their account. Returns their session token. */
async function signUp(username = 'ann'): Promise<string> {
  const completed = await complete(await start(), username);
  expect(completed.status).toBe(201);
  return completed.body.data.token;
}

/**
 * Starts to link an account. Returns the path with the provider's answer, which the gateway has not got yet.
 */
async function beginLink(as: string, canonical: string): Promise<{ path: string; cookie: string }> {
  const begun = await gateway.ask<{ data: { url: string } }>(`POST /profile/linked-accounts/${canonical}`, {
    as,
  });
  const [cookie = ''] = (begun.headers.get('set-cookie') ?? '').split(';');
  const back = await browser.go(begun.body.data.url, callback(canonical));
  return { path: back.url.slice(ORIGIN.length), cookie };
}

async function link(as: string, canonical: string): Promise<ReceivedPage> {
  const { path, cookie } = await beginLink(as, canonical);
  const answer = await gateway.ask(`GET ${path}`, { headers: { cookie } });
  return { url: `${ORIGIN}${path}`, status: answer.status, text: answer.text };
}
const linkedProviders = async (as: string): Promise<string[]> => {
  const list = await gateway.ask<{ data: { canonical: string }[] }>('GET /profile/linked-accounts', { as });
  return list.body.data.map(({ canonical }) => canonical);
};

describe('linked accounts', () => {
  test('can be added only soon after a sign-in, and so can a first password', async () => {
    const ann = await signUp();
    now = new Date(now.getTime() + 11 * 60_000);
    const begun = await gateway.ask<{ type: string }>('POST /profile/linked-accounts/two', { as: ann });
    const body = { new_password: 'a long phrase' };
    const password = await gateway.ask<{ type: string }>('PUT /profile/password', { as: ann, body });
    for (const refused of [begun, password])
      expect([refused.status, refused.body.type]).toEqual([
        403,
        'https://millrace.dev/problems/sign-in-again',
      ]);
    const again = await gateway.session('ann');
    expect((await gateway.ask('POST /profile/linked-accounts/two', { as: again })).status).toBe(200);
    expect((await gateway.ask('PUT /profile/password', { as: again, body })).status).toBe(200);
  });

  test.each<[string, (ann: string) => Promise<unknown>]>([
    [
      'a new password',
      async (as) =>
        await gateway.ask('PUT /profile/password', { as, body: { new_password: 'a long phrase' } }),
    ],
    ['signing out everywhere', async (as) => await gateway.ask('POST /auth/logout-everywhere', { as })],
    ['signing out', async (as) => await gateway.ask('POST /auth/logout', { as })],
    [
      'a temporary disabling of the account',
      async () => {
        for (const disabled of [true, false])
          expect(await writeAccountChange('ann', { disabled }, act(), stores.access)).toMatchObject({
            answer: 'done',
          });
      },
    ],
  ])('are not added if linking began before %s', async (_, endSession) => {
    const ann = await signUp();
    const { path, cookie } = await beginLink(ann, 'two');
    await endSession(ann);
    const answer = await gateway.ask<{ type: string }>(`GET ${path}`, { headers: { cookie } });
    expect([answer.status, answer.body.type]).toEqual([401, 'https://millrace.dev/problems/provider-failed']);
    expect(await linkedProviders(await gateway.session('ann'))).toEqual(['one']);
  });

  test('are not added if the session ends while the provider answers', async () => {
    await signUp();
    const { id: userId = 0 } = (await stores.access.accounts.credentials('ann')) ?? {};
    const identity = { issuer: two.issuer, subject: 'x', provider: 'two', groups: [] };
    expect(await stores.access.oauth.link({ userId, sessionId: 'gone' }, identity, now)).toBe('over');
  });

  test('can be added, listed and removed, except the only way to sign in', async () => {
    const ann = await signUp();
    expect(dataOf(await link(ann, 'two')).status).toBe('linked');
    expect(await linkedProviders(ann)).toEqual(['one', 'two']);
    expect(dataOf(await start('two'))).toMatchObject({ status: 'signed-in', session: { username: 'ann' } });
    expect((await gateway.ask('DELETE /profile/linked-accounts/one', { as: ann })).status).toBe(204);
    const last = await gateway.ask<{ type: string }>('DELETE /profile/linked-accounts/two', { as: ann });
    expect([last.status, last.body.type]).toEqual([409, 'https://millrace.dev/problems/would-lock-out']);
    await gateway.ask('PUT /profile/password', { as: ann, body: { new_password: 'correct horse' } });
    const again = await gateway.session('ann');
    expect((await gateway.ask('DELETE /profile/linked-accounts/two', { as: again })).status).toBe(204);
    expect(await linkedProviders(again)).toEqual([]);
  });

  test('belong to only one person', async () => {
    await signUp();
    const root = await gateway.session('root');
    const answer = await link(root, 'one');
    expect([answer.status, problemOf(answer).type]).toEqual([
      409,
      'https://millrace.dev/problems/already-exists',
    ]);
    expect(await linkedProviders(root)).toEqual([]);
  });
});

describe('a change that would lock somebody out is refused', () => {
  test('if it disables, deletes or replaces a provider', async () => {
    await signUp();
    const replaced = provider('one', one, { issuerUrl: 'https://other.example.org' });
    for (const answer of [
      await saveDefinition(provider('one', one, { enabled: false })),
      await saveDefinition(replaced),
      await removeProvider('one', act(), stores.access.oauth),
    ]) {
      expect(answer).toMatchObject({ answer: 'refused', message: expect.stringContaining('for ann.') });
    }
    await gateway.account('bob', { password: 'correct horse' });
    expect(await saveDefinition(provider('two', two, { enabled: false }))).toEqual({ answer: 'done' });
  });

  test('if it turns passwords off', async () => {
    const root = await gateway.session('root');
    const off = async () =>
      await gateway.ask<{ detail: string }>('PUT /admin/auth-settings', { as: root, body: { local: false } });
    const refused = await off();
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('root cannot')]);
    await stores.pool.query(rows()`
      INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
      SELECT ${one.issuer}, 'root', id, 'one', now() FROM users`);
    expect((await off()).status).toBe(200);
    const login = await gateway.ask<{ type: string }>('POST /auth/login', {
      body: { username: 'root', password: 'correct horse' },
    });
    expect([login.status, login.body.type]).toEqual([403, 'https://millrace.dev/problems/local-sign-in-off']);
    expect((await gateway.ask('GET /auth/methods')).body.data).toMatchObject({ local: false });
    expect(await saveDefinition(provider('one', one, { enabled: false }))).toMatchObject({
      answer: 'refused',
    });
    expect((await gateway.ask('PUT /admin/auth-settings', { as: root, body: { local: true } })).status).toBe(
      200,
    );
  });

  test('if two changes together would lock somebody out', async () => {
    await stores.pool.query(rows()`
      INSERT INTO oauth_identities (issuer, subject, user_id, provider, linked_at)
      SELECT ${one.issuer}, 'root', id, 'one', now() FROM users`);
    for (let times = 0; times < 10; times += 1) {
      const root = await gateway.session('root');
      await Promise.all([
        gateway.ask('PUT /admin/auth-settings', { as: root, body: { local: false } }),
        saveDefinition(provider('one', one, { enabled: false })),
        gateway.ask('DELETE /profile/linked-accounts/one', { as: root }),
      ]);
      const canSignIn = await stores.pool.oneFirst(rows<{ way: boolean }>()`
        SELECT (SELECT local FROM auth_settings) OR EXISTS (
          SELECT 1 FROM oauth_identities i JOIN oauth_providers p ON p.canonical = i.provider AND p.enabled) AS way`);
      expect(canSignIn).toBe(true);
      await gateway.ask('PUT /admin/auth-settings', { as: root, body: { local: true } });
      await saveDefinition(provider('one', one));
    }
  });
});

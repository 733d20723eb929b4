import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { guardedWebFetch, type GuardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
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

/* Sign-in with identity providers: the gateway over a real Postgres, and real providers over HTTPS. */
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
/** Signs in at the provider. Returns the address with its answer, which the gateway has not got yet. */
const answerAddress = async (canonical = 'one'): Promise<string> =>
  (await browser.go(`${ORIGIN}/auth/oauth/${canonical}`, callback(canonical))).url;

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

const expectFailure = (page: ReceivedPage) => {
  expect([page.status, problemOf(page).type]).toEqual([401, 'https://millrace.dev/problems/provider-failed']);
};

describe('signing in with a provider', () => {
  test('redirects to the chosen provider, with the values that the answer must match', async () => {
    const methods = await gateway.ask('GET /auth/methods');
    expect(methods.body.data).toEqual({
      local: true,
      providers: ['one', 'two'].map((name) => ({
        canonical: name,
        name,
        type: 'OIDC',
        url: `/auth/oauth/${name}`,
      })),
    });
    const { url } = await browser.go(`${ORIGIN}/auth/oauth/one`, one.issuer);
    const parameters = Object.fromEntries(new URL(url).searchParams);
    expect(parameters).toMatchObject({
      response_type: 'code',
      client_id: CLIENT.id,
      redirect_uri: callback('one'),
      scope: 'openid profile email',
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(parameters[name]?.length).toBe(43);
    expect(url).not.toContain(CLIENT.secret);
  });

  test('asks for a username the first time, and creates an account without a team', async () => {
    const page = await start();
    expect(page.status).toBe(200);
    expect(dataOf(page)).toEqual({
      status: 'complete-profile',
      profile_token: expect.any(String),
      username: 'ann',
      full_name: 'The ann',
    });
    const token = (await complete(page, 'ann')).body.data.token;
    const profile = await gateway.ask('GET /profile', { as: token });
    expect(profile.body.data).toMatchObject({
      username: 'ann',
      full_name: 'Ann A.',
      has_password: false,
      teams: {},
      global_admin: false,
    });
  });

  test('signs the person in with the chosen username the next time', async () => {
    await signUp('somebody');
    browser.forget(ORIGIN);
    const page = await start();
    expect(dataOf(page)).toMatchObject({ status: 'signed-in', session: { username: 'somebody' } });
    const profile = await gateway.ask('GET /profile', { headers: { cookie: browser.cookiesOf(ORIGIN) } });
    expect(profile.body.data).toMatchObject({ username: 'somebody' });
  });

  test('does not ask to change a password that an admin gave', async () => {
    await signUp();
    const body = { password: 'from an admin' };
    await gateway.ask('PUT /users/ann', { as: await gateway.session('root'), body });
    const page = await start();
    expect(dataOf(page)).toMatchObject({ session: { must_change_password: false } });
    const headers = { cookie: browser.cookiesOf(ORIGIN) };
    expect((await gateway.ask('GET /profile', { headers })).status).toBe(200);
    expect((await gateway.ask('GET /profile', { as: await gateway.session('ann') })).status).toBe(403);
  });

  test('gives no access to an existing account with the same name', async () => {
    await gateway.account('ann', { globalAdmin: true });
    const page = await start();
    expect(dataOf(page).status).toBe('complete-profile');
    const taken = await complete(page, 'ann');
    expect([taken.status, taken.body.type]).toEqual([409, 'https://millrace.dev/problems/already-exists']);
    expect((await complete(page, 'ann-2')).status).toBe(201);
  });

  test('creates another account for the same name at another provider', async () => {
    await signUp();
    two.person = 'ann';
    browser.forget(ORIGIN);
    expect(dataOf(await start('two')).status).toBe('complete-profile');
  });

  test('works after the provider has rotated its keys', async () => {
    await signUp();
    await one.rotateKeys();
    monotonic += 10 * 60_000;
    browser.forget(one.issuer);
    expect(dataOf(await start()).status).toBe('signed-in');
  });
});

const definition = (more: Partial<StoredProvider> = {}): StoredProvider => ({
  canonical: 'plain',
  type: 'OAuth2',
  clientId: CLIENT.id,
  authUrl: `${plain.base}/authorize`,
  tokenUrl: `${plain.base}/token`,
  userInfoUrl: `${plain.base}/user`,
  usernameClaim: 'login',
  enabled: true,
  secretKey: 'known',
  ...more,
});

describe('a provider without OpenID Connect', () => {
  test('identifies the person by its user endpoint', async () => {
    await saveDefinition(definition());
    const page = await start('plain');
    expect(dataOf(page)).toMatchObject({
      status: 'complete-profile',
      username: 'ann-of-forge',
      full_name: 'Ann Of Forge',
    });
    await complete(page, 'ann');
    expect(dataOf(await start('plain'))).toMatchObject({ status: 'signed-in', session: { username: 'ann' } });
    const stored = await stores.pool.one(
      rows<{ issuer: string; subject: string }>()`SELECT issuer, subject FROM oauth_identities`,
    );
    expect(stored).toEqual({ issuer: `${plain.base}/user`, subject: '42' });
  });

  test('suggests the part of the email address before the @ as username', async () => {
    await saveDefinition(definition({ usernameClaim: 'email' }));
    expect(dataOf(await start('plain')).username).toBe('root');
  });

  test('cannot sign anyone in with another verifier', async () => {
    await saveDefinition(definition());
    const url = await answerAddress('plain');
    await stores.pool.query(rows()`UPDATE oauth_flows SET verifier = ${'y'.repeat(43)}`);
    expectFailure(await browser.go(url));
  });
});

/**
 * Makes the browser forget all cookies of the gateway and the provider, so that it acts as another browser.
 */
function actAsAnotherBrowser(): void {
  browser.forget(ORIGIN);
  browser.forget(one.issuer);
}

describe('an answer of a provider is refused', () => {
  test('the second time', async () => {
    const url = await answerAddress();
    expect((await browser.go(url)).status).toBe(200);
    expectFailure(await browser.go(url));
  });

  test('the second time, also at the same moment on two replicas', async () => {
    const url = await answerAddress();
    const answers = await Promise.all([browser.go(url), browser.go(url)]);
    expect(answers.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });

  test('after five minutes', async () => {
    const url = await answerAddress();
    now = new Date(now.getTime() + 300_000);
    expectFailure(await browser.go(url));
  });

  test('in another browser, even if that browser began its own sign-in', async () => {
    const first = await answerAddress();
    actAsAnotherBrowser();
    expectFailure(await browser.go(first));
    const second = await answerAddress();
    actAsAnotherBrowser();
    await answerAddress();
    expectFailure(await browser.go(second));
  });

  test('at the callback of another provider', async () => {
    expectFailure(await browser.go((await answerAddress()).replace('/one/', '/two/')));
  });

  test('with an unknown state', async () => {
    const url = new URL(await answerAddress());
    url.searchParams.set('state', 'x'.repeat(43));
    expectFailure(await browser.go(url.href));
  });

  test('with the code of another sign-in', async () => {
    const first = new URL(await answerAddress());
    // If the same browser returned, the provider would revoke the first code.
    actAsAnotherBrowser();
    const second = new URL(await answerAddress());
    second.searchParams.set('code', first.searchParams.get('code') ?? '');
    expectFailure(await browser.go(second.href));
  });

  test('with a used code', async () => {
    const first = new URL(await answerAddress());
    await browser.go(first.href);
    const second = new URL(await answerAddress());
    second.searchParams.set('code', first.searchParams.get('code') ?? '');
    expectFailure(await browser.go(second.href));
  });

  test('from another issuer', async () => {
    const url = new URL(await answerAddress());
    expect(url.searchParams.get('iss')).toBe(one.issuer);
    url.searchParams.set('iss', two.issuer);
    expectFailure(await browser.go(url.href));
    const without = new URL(await answerAddress());
    without.searchParams.delete('iss');
    expectFailure(await browser.go(without.href));
  });

  test.each(['nonce', 'verifier'] as const)('for another %s', async (column) => {
    const url = await answerAddress();
    const other = 'y'.repeat(43);
    await stores.pool.query(
      column === 'nonce'
        ? rows()`UPDATE oauth_flows SET nonce = ${other}`
        : rows()`UPDATE oauth_flows SET verifier = ${other}`,
    );
    expectFailure(await browser.go(url));
  });

  test('if the person denied access at the provider', async () => {
    const url = new URL(await answerAddress());
    url.searchParams.delete('code');
    url.searchParams.set('error', 'access_denied');
    expectFailure(await browser.go(url.href));
  });

  test('if the provider was disabled or deleted meanwhile', async () => {
    const url = await answerAddress();
    await saveDefinition(provider('one', one, { enabled: false }));
    expectFailure(await browser.go(url));
    expect((await start()).status).toBe(404);
    await saveDefinition(provider('one', one));
    const page = await start();
    await removeProvider('one', act(), stores.access.oauth);
    expect((await complete(page, 'ann')).body.type).toBe('https://millrace.dev/problems/provider-failed');
  });

  test('for a profile, if it is repeated, late or from another browser', async () => {
    const page = await start();
    expect((await complete(page, 'ann')).status).toBe(201);
    expect((await complete(page, 'ann-2')).status).toBe(401);
    one.person = 'bob';
    browser.forget(one.issuer);
    const other = await start();
    const cookies = browser.cookiesOf(ORIGIN);
    browser.forget(ORIGIN);
    expect((await complete(other, 'bob')).status).toBe(401);
    now = new Date(now.getTime() + 300_000);
    const body = { profile_token: dataOf(other).profile_token, username: 'bob' };
    expect(
      (await gateway.ask('POST /auth/oauth/complete-profile', { body, headers: { cookie: cookies } })).status,
    ).toBe(401);
  });

  test('if our client secret is missing or the provider does not answer', async () => {
    await saveDefinition(provider('one', one, { secretKey: 'unknown' }));
    expectFailure(await start());
    await saveDefinition({ ...provider('gone', one), issuerUrl: 'https://127.0.0.1:1' });
    expectFailure(await start('gone'));
    expect(gateway.lines.join('')).toContain('there is no client secret unknown');
  });
});

test('no response, log line or table row contains the client secret', async () => {
  const root = await gateway.session('root');
  await signUp();
  const listed = await gateway.ask('GET /admin/oauth-providers', { as: root });
  expect(listed.status).toBe(200);
  const tables = await stores.pool.anyFirst(rows<{ text: string }>()`
    SELECT coalesce(query_to_xml('SELECT * FROM ' || quote_ident(tablename), true, true, '')::text, '')
    FROM pg_tables WHERE schemaname = 'public'`);
  expect([listed.text, ...gateway.lines, ...tables].join('')).not.toContain(CLIENT.secret);
});

import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { request } from 'undici';
import { guardedWebFetch, type GuardedWebFetch } from '#adapters/fetch/guarded-web-fetch.ts';
import { openIdClient } from '#adapters/oauth/openid.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { CheapPasswords, openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import {
  Browser,
  CLIENT,
  startIdentityProvider,
  type IdentityProvider,
  type ReceivedPage,
} from '#testing/people/identity-provider.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Attacks by a site that can redirect browsers, over HTTP with a real identity provider. */
const CALLBACK = `${ORIGIN}/auth/oauth/one/callback`;
const EVIL = 'https://evil.example';
let stores: TestStores;
let gateway: Gateway;
let provider: IdentityProvider;
let guarded: GuardedWebFetch;
let browser: Browser;
const passwords = new CheapPasswords();

beforeAll(async () => {
  // The identity provider warns about each default setting.
  for (const level of ['info', 'warn'] as const)
    jest.spyOn(console, level).mockImplementation(() => undefined);
  stores = await openStores();
  provider = await startIdentityProvider([CALLBACK]);
  guarded = guardedWebFetch({ allowedRanges: ['127.0.0.0/8'], ca: provider.ca });
  const client = openIdClient({
    secretOf: async () => CLIENT.secret,
    fetch: async (url, init) => await guarded.fetch(url, init),
    now: () => performance.now(),
  });
  gateway = await openGateway(stores, { client, passwords });
});
beforeEach(async () => {
  await stores.empty();
  passwords.verifyCalls = 0;
  provider.person = 'ann';
  await saveProvider(
    {
      canonical: 'one',
      type: 'OIDC',
      clientId: CLIENT.id,
      issuerUrl: provider.issuer,
      enabled: true,
      secretKey: 'known',
    },
    { by: 'manifest', at: new Date() },
    stores.access.oauth,
  );
  browser = openBrowser();
});
afterAll(async () => {
  await gateway.close();
  await Promise.all([provider.close(), guarded.close()]);
  await stores.close();
});

const openBrowser = (): Browser => new Browser({ origin: ORIGIN, base: gateway.base }, [provider.ca]);
/** Signs in at the provider. Returns the address with its answer, which the gateway has not got yet. */
const answerAddress = async (from = browser): Promise<string> =>
  (await from.go(`${ORIGIN}/auth/oauth/one`, CALLBACK)).url;

interface Data {
  status: string;
  profile_token: string;
  session: { username: string; csrf_token: string };
}
function dataOf({ text }: ReceivedPage): Data {
  const { data }: { data: Data } = JSON.parse(text);
  return data;
}

/** Creates an account that is linked with the person of the same name at the provider. */
async function createLinkedAccount(name: string): Promise<void> {
  provider.person = name;
  const newBrowser = openBrowser();
  const { profile_token } = dataOf(await newBrowser.go(`${ORIGIN}/auth/oauth/one`));
  const completed = await gateway.ask('POST /auth/oauth/complete-profile', {
    body: { profile_token, username: name },
    headers: { cookie: newBrowser.cookiesOf(ORIGIN) },
  });
  expect(completed.status).toBe(201);
  provider.person = 'ann';
}

/** Spellings of an address that browsers resolve to another site. */
const OTHER_SITES = [
  EVIL,
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/\t/evil.example',
  '/%09/evil.example',
  '/%2f%2fevil.example',
  'https:evil.example',
  `${ORIGIN}@evil.example`,
  `${ORIGIN}.evil.example`,
  'javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
];
/** Names of parameters that could hold an address to redirect to. */
const PARAMETERS = ['redirect_uri', 'redirect', 'return_to', 'next', 'continue', 'url', 'rd', 'callback'];

describe('an OAuth sign-in redirects only to the provider and to the gateway', () => {
  test.each(OTHER_SITES)('whatever the request contains: the address %j', async (target) => {
    const query = new URLSearchParams(
      Object.fromEntries(PARAMETERS.map((name) => [name, target])),
    ).toString();
    const begun = await request(`${gateway.base}/auth/oauth/one?${query}`);
    await begun.body.dump();
    const to = new URL(String(begun.headers['location']));
    expect([begun.statusCode, to.origin]).toEqual([302, provider.issuer]);
    expect(to.searchParams.getAll('redirect_uri')).toEqual([CALLBACK]);
    expect(to.href).not.toContain('evil');
    const answered = await browser.go(`${await answerAddress()}&${query}`);
    expect([answered.status, answered.url.startsWith(CALLBACK)]).toEqual([200, true]);
  });

  test.each([
    { host: 'evil.example' },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-proto': 'http' },
    { forwarded: 'host=evil.example;proto=http' },
    { 'x-original-url': '/auth/oauth/evil' },
    { referer: `${EVIL}/`, 'sec-fetch-site': 'cross-site', 'sec-fetch-user': '?1' },
  ])('whatever the request contains: the header %j', async (headers) => {
    const begun = await request(`${gateway.base}/auth/oauth/one`, { headers: { ...headers } });
    await begun.body.dump();
    expect(new URL(String(begun.headers['location'])).searchParams.get('redirect_uri')).toBe(CALLBACK);
  });

  test('whatever the request contains: a path as the name of the provider', async () => {
    for (const name of [
      '..%2f..%2fevil',
      '%2F%2Fevil.example',
      'one%00',
      'ONE',
      '__proto__',
      'constructor',
    ]) {
      const { status, headers } = await gateway.ask(`GET /auth/oauth/${name}`);
      expect([400, 404]).toContain(status);
      expect(headers.get('location')).toBeNull();
    }
  });
});

describe('an OAuth sign-in', () => {
  test('gives a new session, whatever cookie was set before', async () => {
    await createLinkedAccount('ann');
    await gateway.account('mallory', { password: 'correct horse' });
    const planted = `__Host-millrace-session=${await gateway.session('mallory')}`;
    const back = await answerAddress();
    const answer = await request(`${gateway.base}${back.slice(ORIGIN.length)}`, {
      headers: { cookie: `${planted}; ${browser.cookiesOf(ORIGIN)}` },
    });
    await answer.body.dump();
    const cookies = [answer.headers['set-cookie'] ?? []].flat();
    const sessionCookie = cookies.find((cookie) => cookie.startsWith('__Host-millrace-session=')) ?? '';
    const [own = ''] = sessionCookie.split(';');
    expect(own).toMatch(/=eyJ/);
    expect(own).not.toBe(planted);
    const userOf = async (cookie: string) =>
      (await gateway.ask('GET /auth/session', { headers: { cookie } })).body.data['username'];
    expect(await userOf(own)).toBe('ann');
    // The sign-in has ended the session of the planted cookie.
    expect((await gateway.ask('GET /auth/session', { headers: { cookie: planted } })).status).toBe(401);
  });

  test('that another person began cannot be finished in this browser, signed in or not', async () => {
    await createLinkedAccount('mallory');
    provider.person = 'mallory';
    const ofOtherBrowser = await answerAddress(openBrowser());
    provider.person = 'ann';
    await answerAddress();
    expect((await browser.go(ofOtherBrowser)).status).toBe(401);
    expect(browser.cookiesOf(ORIGIN)).not.toContain('session');
  });

  test('that another person began to link an account links nothing', async () => {
    await gateway.account('mallory', { password: 'correct horse' });
    const as = await gateway.session('mallory');
    const begun = await gateway.ask<{ data: { url: string } }>('POST /profile/linked-accounts/one', { as });
    await answerAddress();
    const back = await browser.go(begun.body.data.url, CALLBACK);
    expect((await browser.go(back.url)).status).toBe(401);
    const links = await gateway.ask<{ data: object[] }>('GET /profile/linked-accounts', { as });
    expect(links.body.data).toEqual([]);
  });

  test('forbids caches, frames and referrers that would reveal its code', async () => {
    const answer = await gateway.ask(`GET ${(await answerAddress()).slice(ORIGIN.length)}`);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
    });
  });

  test('writes neither code nor state nor session to the log', async () => {
    const back = new URL(await answerAddress());
    await browser.go(back.href);
    await browser.go(back.href);
    for (const name of ['code', 'state']) {
      expect(gateway.lines.join('')).not.toContain(back.searchParams.get(name) ?? 'missing');
    }
  });

  test('that fails logs the error of the provider on one line without control characters', async () => {
    const back = new URL(await answerAddress());
    back.searchParams.delete('code');
    back.searchParams.set('error', 'access_denied');
    back.searchParams.set('error_description', 'no\r\n{"level":"fatal"}\u001b[2J\u009b31m\u202e');
    expect((await browser.go(back.href)).status).toBe(401);
    for (const line of gateway.lines) {
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(JSON.parse(line)).toMatchObject({ level: expect.stringMatching(/^(info|warn|error|debug)$/) });
    }
  });
});

describe('a sign-in from another site', () => {
  const refused: Record<string, string>[] = [
    { origin: EVIL },
    { origin: 'null' },
    { origin: `${ORIGIN}.evil.example` },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ];
  test.each(refused)('is refused before the password is checked: %j', async (headers) => {
    await gateway.account('mallory', { password: 'correct horse' });
    const body = { username: 'mallory', password: 'correct horse', session: 'cookie' };
    const answer = await gateway.ask<{ type: string }>('POST /auth/login', { body, headers });
    expect([answer.status, answer.body.type]).toEqual([
      403,
      'https://millrace.dev/problems/cross-site-request',
    ]);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(passwords.verifyCalls).toBe(0);
  });

  test('with a provider begins only if the person follows a link', async () => {
    const begin = async (headers: Record<string, string>) => {
      const answer = await request(`${gateway.base}/auth/oauth/one`, { headers });
      await answer.body.dump();
      return [answer.statusCode, answer.headers['set-cookie'] === undefined];
    };
    for (const site of ['cross-site', 'same-site']) {
      expect(await begin({ 'sec-fetch-site': site })).toEqual([403, true]);
      expect(await begin({ 'sec-fetch-site': site, 'sec-fetch-user': '?1' })).toEqual([302, false]);
    }
    for (const site of ['same-origin', 'none'])
      expect(await begin({ 'sec-fetch-site': site })).toEqual([302, false]);
    // The provider sends the browser back from its own site.
    const back = await request(`${gateway.base}${(await answerAddress()).slice(ORIGIN.length)}`, {
      headers: { cookie: browser.cookiesOf(ORIGIN), 'sec-fetch-site': 'cross-site' },
    });
    await back.body.dump();
    expect(back.statusCode).toBe(200);
  });

  test('is refused for the form of a new profile too, but webhooks may come from any site', async () => {
    const body = { profile_token: 'x', username: 'ann' };
    const headers = { origin: EVIL };
    expect((await gateway.ask('POST /auth/oauth/complete-profile', { body, headers })).status).toBe(403);
    expect((await gateway.ask('POST /webhooks/none', { headers })).status).toBe(404);
  });

  test('is refused, unlike one from our own pages or from a program', async () => {
    await gateway.account('ann', { password: 'correct horse' });
    const body = { username: 'ann', password: 'correct horse', session: 'cookie' };
    for (const headers of [{}, { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }]) {
      expect((await gateway.ask('POST /auth/login', { body, headers })).status).toBe(200);
    }
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { request } from 'undici';
import { saveProvider } from '#flows/people/save-provider.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/*
 * The origins from which people may sign in, as headers of requests. `sign-in-anywhere.browser.test.ts` tests
 * them in a browser.
 */
const PASSWORD = 'correct horse';
let stores: TestStores;
let withoutUrl: Gateway;
let withUrl: Gateway;

beforeAll(async () => {
  stores = await openStores();
  withoutUrl = await openGateway(stores, { externalUrl: undefined, trustedProxies: [] });
  withUrl = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  await withoutUrl.account('ann', { password: PASSWORD });
});
afterAll(async () => {
  await Promise.all([withoutUrl.close(), withUrl.close()]);
  await stores.close();
});

type Headers = Record<string, string>;

async function ask(gateway: Gateway, route: string, headers: Headers, body?: string) {
  const [method = 'GET', path = '/'] = route.split(' ');
  const answer = await request(`${gateway.base}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body }),
  });
  const text = await answer.body.text();
  return {
    status: answer.statusCode,
    text,
    location: answer.headers['location'],
    cookies: [answer.headers['set-cookie'] ?? []].flat(),
  };
}

async function signIn(gateway: Gateway, headers: Headers) {
  const form = { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html' };
  const fields = new URLSearchParams({ username: 'ann', password: PASSWORD });
  return await ask(gateway, 'POST /auth/login', { ...form, ...headers }, fields.toString());
}

const nameOf = (cookie = ''): string => cookie.slice(0, cookie.indexOf('='));
const valueOf = (cookie = ''): string => cookie.slice(0, cookie.indexOf(';'));

describe('without an external URL', () => {
  const OWN_ADDRESSES: [title: string, headers: Headers, cookiePrefix: string][] = [
    [
      'a port-forward',
      { host: 'localhost:8080', origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },
      '',
    ],
    ['an address of the cluster', { host: '10.96.0.7', origin: 'http://10.96.0.7' }, ''],
    ['the Service', { host: 'millrace-public.ci.svc', origin: 'http://millrace-public.ci.svc' }, ''],
    [
      'a proxy that ends TLS',
      { host: 'ci.lan', origin: 'https://ci.lan', 'sec-fetch-site': 'same-origin' },
      '__Host-',
    ],
  ];

  test.each(OWN_ADDRESSES)(
    'the form signs in through %s, with cookies that the browser accepts',
    async (_, headers, prefix) => {
      const { status, location, cookies } = await signIn(withoutUrl, headers);
      expect([status, location]).toEqual([303, '/teams']);
      expect(nameOf(cookies[0])).toBe(`${prefix}millrace-session`);
      expect(cookies[0]?.includes('; Secure')).toBe(prefix !== '');
      expect(cookies[0]).toMatch(/; Path=\/; .*HttpOnly; .*SameSite=Lax/);
      const cookie = valueOf(cookies[0]);
      const nextHeaders = { host: headers['host'] ?? '', cookie, accept: 'application/json' };
      expect((await ask(withoutUrl, 'GET /auth/session', nextHeaders)).status).toBe(200);
    },
  );

  test.each(OWN_ADDRESSES)('a person signs out through %s', async (_, headers) => {
    const cookie = valueOf((await signIn(withoutUrl, headers)).cookies[0]);
    const { data } = JSON.parse((await ask(withoutUrl, 'GET /auth/session', { ...headers, cookie })).text);
    const signedOut = await ask(withoutUrl, 'POST /auth/logout', {
      ...headers,
      cookie,
      'x-csrf-token': data.csrf_token,
    });
    expect([signedOut.status, nameOf(signedOut.cookies[0])]).toEqual([204, nameOf(cookie)]);
    expect((await ask(withoutUrl, 'GET /auth/session', { ...headers, cookie })).status).toBe(401);
  });

  test.each<[string, Headers]>([
    ['another site', { host: 'localhost:8080', origin: 'https://evil.example' }],
    ['another port of this machine', { host: 'localhost:8080', origin: 'http://localhost:9090' }],
    ['a page with an opaque origin', { host: 'localhost:8080', origin: 'null' }],
    [
      'another site, according to Sec-Fetch-Site',
      { host: 'ci.lan', origin: 'https://ci.lan', 'sec-fetch-site': 'cross-site' },
    ],
    ['another site of the domain', { host: 'ci.lan', 'sec-fetch-site': 'same-site' }],
    ['a sender without origin headers', { host: 'localhost:8080' }],
  ])('the form signs nobody in from %s', async (_, headers) => {
    const { status, cookies } = await signIn(withoutUrl, headers);
    expect([status, cookies]).toEqual([403, []]);
  });

  test('another site cannot use a session, even with its CSRF token', async () => {
    const ownSite = { host: 'localhost:8080', origin: 'http://localhost:8080' };
    const cookie = valueOf((await signIn(withoutUrl, ownSite)).cookies[0]);
    const { data } = JSON.parse((await ask(withoutUrl, 'GET /auth/session', { ...ownSite, cookie })).text);
    const credentials = { cookie, 'x-csrf-token': data.csrf_token };
    const otherSite = { host: 'localhost:8080', origin: 'http://localhost:9090' };
    expect((await ask(withoutUrl, 'POST /auth/logout', { ...otherSite, ...credentials })).status).toBe(403);
    expect((await ask(withoutUrl, 'POST /auth/logout', { ...ownSite, ...credentials })).status).toBe(204);
  });

  test('a request through a proxy that changes the host gets an answer with the setting to change', async () => {
    const { status, text } = await signIn(withoutUrl, { host: 'backend:8080', origin: 'https://ci.lan' });
    expect(status).toBe(403);
    expect(text).toContain(
      'The browser is at https://ci.lan, but the request was sent to the host backend:8080.',
    );
    expect(text).toContain('set externalURL in the chart&#39;s values to the address that people open');
  });

  test('the cookie that was set over TLS takes precedence over one that was set without TLS', async () => {
    await withoutUrl.account('mallory', { password: PASSWORD });
    const cookie =
      `millrace-session=${await withoutUrl.session('mallory')}; ` +
      `__Host-millrace-session=${await withoutUrl.session('ann')}`;
    expect(JSON.parse((await ask(withoutUrl, 'GET /auth/session', { cookie })).text).data.username).toBe(
      'ann',
    );
  });

  test('a header of an untrusted sender does not make Millrace accept another host', async () => {
    const otherSite = {
      host: 'localhost:8080',
      origin: 'https://evil.example',
      'x-forwarded-host': 'evil.example',
    };
    expect((await signIn(withoutUrl, otherSite)).status).toBe(403);
  });

  test('a sign-in with a provider is refused, and the answer names the setting to change', async () => {
    const provider = {
      canonical: 'one',
      type: 'OIDC' as const,
      clientId: 'x',
      issuerUrl: 'https://id.example.org',
      enabled: true,
      secretKey: 'known',
    };
    await saveProvider(provider, { by: 'manifest', at: new Date() }, stores.access.oauth);
    const { status, text } = await ask(withoutUrl, 'GET /auth/oauth/one', { accept: 'application/json' });
    expect([status, JSON.parse(text).detail]).toEqual([
      409,
      "Providers send browsers back to this installation's address, which is not set: " +
        "set externalURL in the chart's values.",
    ]);
  });
});

describe('with an external URL', () => {
  test('a browser at another address gets the right address and the setting to change', async () => {
    const { status, cookies, text } = await signIn(withUrl, {
      host: 'localhost:8080',
      origin: 'http://localhost:8080',
      'sec-fetch-site': 'same-origin',
    });
    expect([status, cookies]).toEqual([403, []]);
    expect(text).toContain(
      `This page was opened at http://localhost:8080, but this installation&#39;s address is ${ORIGIN}.`,
    );
    expect(text).toContain('set externalURL in the chart&#39;s values');
  });

  test('another site gets an answer that names only the address of Millrace', async () => {
    const { status, text } = await signIn(withUrl, {
      origin: 'https://evil.example',
      'sec-fetch-site': 'cross-site',
    });
    expect(status).toBe(403);
    expect(text).toContain(`Another site sent this request. Open ${ORIGIN} itself`);
    expect(text).not.toContain('evil.example');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { SignJWT } from 'jose';
import {
  CheapPasswords,
  openGateway,
  ORIGIN,
  SESSION_KEY,
  type Answer,
  type Gateway,
} from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Sessions, over HTTP and a real Postgres. */
const PASSWORD = 'correct horse';
let stores: TestStores;
let gateway: Gateway;
let passwords: CheapPasswords;
let now: Date;

beforeAll(async () => {
  stores = await openStores();
  passwords = new CheapPasswords();
  gateway = await openGateway(stores, { passwords, now: () => now });
});
beforeEach(async () => {
  now = new Date();
  passwords.verifyCalls = 0;
  gateway.lines.length = 0;
  await stores.empty();
  await gateway.account('ann', { password: PASSWORD });
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

interface SignedIn {
  data: { token: string; csrf_token?: string; must_change_password: boolean; expires_at?: string };
}
const login = async (username: string, password: string, more: object = {}): Promise<Answer<SignedIn>> =>
  await gateway.ask<SignedIn>('POST /auth/login', { body: { username, password, ...more } });
const sessionStatus = async (as: string): Promise<number> =>
  (await gateway.ask('GET /auth/session', { as })).status;
const advanceClock = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds);
};

describe('a session', () => {
  test('ends when its holder signs out, and the other sessions continue', async () => {
    const first = (await login('ann', PASSWORD)).body.data.token;
    const second = (await login('ann', PASSWORD)).body.data.token;
    expect((await gateway.ask('POST /auth/logout', { as: first })).status).toBe(204);
    expect([await sessionStatus(first), await sessionStatus(second)]).toEqual([401, 200]);
  });

  test('ends with all others when its holder signs out everywhere', async () => {
    const first = (await login('ann', PASSWORD)).body.data.token;
    const second = (await login('ann', PASSWORD)).body.data.token;
    expect((await gateway.ask('POST /auth/logout-everywhere', { as: first })).status).toBe(204);
    expect([await sessionStatus(first), await sessionStatus(second)]).toEqual([401, 401]);
    expect((await login('ann', PASSWORD)).status).toBe(200);
  });

  test('is listed with its last use, and can be ended from another session', async () => {
    const first = (await login('ann', PASSWORD)).body.data.token;
    advanceClock(90_000);
    await sessionStatus(first);
    const lastUse = now;
    advanceClock(1000);
    const second = (await login('ann', PASSWORD)).body.data.token;
    const list = await gateway.ask<{ data: { id: string; current: boolean; used_at: string }[] }>(
      'GET /profile/sessions',
      {
        as: second,
      },
    );
    expect(list.body.data.map(({ current }) => current)).toEqual([true, false]);
    const usedTimes = list.body.data.map((session) => session.used_at);
    expect(usedTimes).toEqual([now.toISOString(), lastUse.toISOString()]);
    const deleteFirst = `DELETE /profile/sessions/${list.body.data[1]?.id}`;
    expect((await gateway.ask(deleteFirst, { as: second })).status).toBe(204);
    expect((await gateway.ask(deleteFirst, { as: second })).status).toBe(404);
    expect([await sessionStatus(first), await sessionStatus(second)]).toEqual([401, 200]);
  });

  test('ends when an admin sets another password, which the person must change', async () => {
    await gateway.account('root', { globalAdmin: true });
    const root = await gateway.session('root');
    const ann = (await login('ann', PASSWORD)).body.data.token;
    const reset = await gateway.ask('PUT /users/ann', { as: root, body: { password: 'from an admin' } });
    expect(reset.body.data).toMatchObject({ must_change_password: true });
    expect(await sessionStatus(ann)).toBe(401);
    expect((await login('ann', PASSWORD)).status).toBe(401);
    expect((await login('ann', 'from an admin')).body.data.must_change_password).toBe(true);
  });

  test('is not opened if the password changes while the gateway verifies it', async () => {
    const credentials = await stores.access.accounts.credentials('ann');
    if (credentials === undefined) throw new Error('no ann');
    await stores.access.sessions.endSessions(credentials.id, false, { by: 'ann', at: now });
    const late = {
      id: 'late',
      userId: credentials.id,
      username: 'ann',
      tokenGen: credentials.tokenGen,
      openedAt: now,
    };
    expect(await stores.access.sessions.openSession({ ...late, address: '', client: '', action: 'x' })).toBe(
      false,
    );
  });

  test('of a deleted account gives no access to a new account of that name', async () => {
    await gateway.account('root', { globalAdmin: true });
    const ann = (await login('ann', PASSWORD)).body.data.token;
    await gateway.ask('DELETE /users/ann', { as: await gateway.session('root') });
    await gateway.account('ann', { password: PASSWORD });
    expect(await sessionStatus(ann)).toBe(401);
  });

  test('older than ten minutes cannot change how the person signs in', async () => {
    const as = (await login('ann', PASSWORD)).body.data.token;
    const link = async () => {
      const begun = await gateway.ask<{ type: string }>('POST /profile/linked-accounts/none', { as });
      const ended = await gateway.ask('DELETE /profile/linked-accounts/none', { as });
      return [begun.status, ended.status, begun.body.type.split('/').at(-1)];
    };
    expect(await link()).toEqual([404, 404, 'not-found']);
    advanceClock(11 * 60_000);
    expect(await link()).toEqual([403, 403, 'sign-in-again']);
    expect((await gateway.ask('GET /profile', { as })).status).toBe(200);
  });

  test('ends when its person has fifty newer ones', async () => {
    for (let times = 0; times < 53; times += 1) {
      advanceClock(1);
      await gateway.session('ann');
    }
    const list = await gateway.ask<{ data: unknown[] }>('GET /profile/sessions', {
      as: await gateway.session('ann'),
    });
    expect(list.body.data).toHaveLength(50);
  });

  test('does not end when it opens, even if fifty other sessions have later times', async () => {
    for (let times = 0; times < 50; times += 1) await gateway.session('ann');
    advanceClock(-1000);
    expect(await sessionStatus(await gateway.session('ann'))).toBe(200);
  });
});

/** The claims of a valid session. */
async function validClaims(): Promise<Record<string, unknown>> {
  const token = (await login('ann', PASSWORD)).body.data.token;
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
}

const sign = async (
  claims: Record<string, unknown>,
  { key = SESSION_KEY, alg = 'HS256' } = {},
): Promise<string> =>
  await new SignJWT(claims)
    .setProtectedHeader({ alg, typ: 'JWT' })
    .sign(key.length < 64 && alg === 'HS512' ? Buffer.concat([key, key]) : key);

const encodePart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a forged session', () => {
  const forged: Record<string, () => Promise<string>> = {
    'without a signature': async () => {
      const claims = await validClaims();
      return `${encodePart({ alg: 'none', typ: 'JWT' })}.${encodePart(claims)}.`;
    },
    'with another key': async () => await sign(await validClaims(), { key: Buffer.alloc(32, 6) }),
    'with another algorithm': async () => await sign(await validClaims(), { alg: 'HS512' }),
    'for another audience': async () => await sign({ ...(await validClaims()), aud: 'elsewhere' }),
    'by another issuer': async () => await sign({ ...(await validClaims()), iss: 'elsewhere' }),
    'with another token generation': async () => await sign({ ...(await validClaims()), token_gen: 2 }),
    'for another account': async () => {
      const bob = await gateway.account('bob');
      return await sign({ ...(await validClaims()), sub: String(bob) });
    },
    'for an unknown session': async () => await sign({ ...(await validClaims()), sid: 'another' }),
    'after it expires': async () =>
      await sign({ ...(await validClaims()), exp: Math.floor(now.getTime() / 1000) - 1 }),
    'without claims': async () => await sign({ iss: 'millrace', aud: 'millrace' }),
  };

  test('with the right values is accepted, so the others are refused for their wrong values', async () => {
    expect(await sessionStatus(await sign(await validClaims()))).toBe(200);
  });
  test.each(Object.entries(forged))('gives no access %s', async (_name, make) => {
    expect(await sessionStatus(await make())).toBe(401);
  });
});

/** Signs in as a browser does. Returns the cookie of the session and its CSRF token. */
async function signInByBrowser() {
  const answer = await login('ann', PASSWORD, { session: 'cookie' });
  const [cookie = '', ...attributes] = (answer.headers.get('set-cookie') ?? '').split('; ');
  return { answer, cookie, attributes, csrf: answer.body.data.csrf_token ?? '' };
}

describe('the session of a browser', () => {
  test('is in a cookie that no script can read and no other host gets, and not in the response', async () => {
    const { answer, cookie, attributes } = await signInByBrowser();
    expect(answer.body.data).not.toHaveProperty('token');
    expect(cookie).toMatch(/^__Host-millrace-session=eyJ/);
    expect(attributes).toEqual(expect.arrayContaining(['HttpOnly', 'Secure', 'SameSite=Lax', 'Path=/']));
    expect(attributes.join()).not.toContain('Domain');
    const { status } = await gateway.ask('GET /profile', { headers: { cookie } });
    expect(status).toBe(200);
  });

  test('changes nothing without the CSRF token of one of our pages', async () => {
    const { cookie, csrf } = await signInByBrowser();
    const { csrf: ofOtherSession } = await signInByBrowser();
    const change = async (headers: Record<string, string>) =>
      await gateway.ask<{ type: string }>('PUT /profile', {
        body: { full_name: 'Ann' },
        headers: { cookie, ...headers },
      });
    const refused: Record<string, string>[] = [
      {},
      { 'x-csrf-token': '' },
      { 'x-csrf-token': 'nonsense' },
      { 'x-csrf-token': ofOtherSession },
      { 'x-csrf-token': csrf, origin: 'https://evil.example' },
      { 'x-csrf-token': csrf, origin: 'null' },
      { 'x-csrf-token': csrf, 'sec-fetch-site': 'cross-site' },
      { 'x-csrf-token': csrf, 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of refused) {
      const { status, body } = await change(headers);
      expect([headers, status, body.type]).toEqual([
        headers,
        403,
        'https://millrace.dev/problems/cross-site-request',
      ]);
    }
    for (const headers of [{}, { origin: ORIGIN }, { origin: ORIGIN, 'sec-fetch-site': 'same-origin' }]) {
      expect((await change({ 'x-csrf-token': csrf, ...headers })).status).toBe(200);
    }
  });

  test('is ignored if the request has an Authorization header, and a wrong cookie gives no access', async () => {
    const { cookie } = await signInByBrowser();
    expect((await gateway.ask('GET /profile', { as: 'nonsense', headers: { cookie } })).status).toBe(401);
    const wrong = { cookie: '__Host-millrace-session=nonsense' };
    expect((await gateway.ask('GET /profile', { headers: wrong })).status).toBe(401);
    expect((await gateway.ask('GET /auth/methods', { headers: wrong })).status).toBe(200);
  });

  test('is a new one after each sign-in, whatever was sent before', async () => {
    const { cookie } = await signInByBrowser();
    const answer = await gateway.ask('POST /auth/login', {
      body: { username: 'ann', password: PASSWORD, session: 'cookie' },
      headers: { cookie },
    });
    expect(answer.headers.get('set-cookie')).not.toContain(cookie);
    expect((await gateway.ask('GET /profile', { headers: { cookie } })).status).toBe(401);
  });

  test('is removed from the browser when it ends', async () => {
    const { cookie, csrf } = await signInByBrowser();
    const answer = await gateway.ask('POST /auth/logout', { headers: { cookie, 'x-csrf-token': csrf } });
    expect(answer.headers.get('set-cookie')).toMatch(/^__Host-millrace-session=;.*Expires=Thu, 01 Jan 1970/);
    expect((await gateway.ask('GET /profile', { headers: { cookie } })).status).toBe(401);
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { argon2Passwords } from '#adapters/crypto/argon2.ts';
import { rows } from '#adapters/database/connection/pool.ts';
import { seedAdmin } from '#flows/people/seed-admin.ts';
import {
  CheapPasswords,
  openGateway,
  type Answer,
  type Gateway,
} from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Sign-in with passwords, over HTTP and a real Postgres. */
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
const addressOf = (times: number): string => `2001:db8:7:1:${times.toString(16)}::1`;
const sessionStatus = async (as: string): Promise<number> =>
  (await gateway.ask('GET /auth/session', { as })).status;
const advanceClock = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds);
};

/** Tries to sign in with a wrong password from this address. Returns the status. */
const failFrom = async (address: string, username: string): Promise<number> => {
  const body = { username, password: 'wrong password' };
  return (await gateway.ask('POST /auth/login', { body, headers: { 'x-forwarded-for': address } })).status;
};

describe('a sign-in', () => {
  test('with the right password gives a session that identifies the person and expires', async () => {
    const { status, body, headers } = await login('Ann', PASSWORD);
    expect(status).toBe(200);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('set-cookie')).toBeNull();
    expect(body.data).toEqual({
      username: 'ann',
      must_change_password: false,
      expires_at: new Date(now.getTime() + 3_600_000).toISOString(),
      token: expect.any(String),
    });
    const session = await gateway.ask('GET /auth/session', { as: body.data.token });
    expect(session.body.data).toMatchObject({ username: 'ann', global_admin: false, teams: {} });
    advanceClock(3_600_000);
    expect(await sessionStatus(body.data.token)).toBe(401);
  });

  test('without a lifetime never expires', async () => {
    const endless = await openGateway(stores, { passwords, now: () => now, sessionSeconds: 0 });
    const { body } = await endless.ask<SignedIn>('POST /auth/login', {
      body: { username: 'ann', password: PASSWORD },
    });
    await endless.close();
    expect(body.data).not.toHaveProperty('expires_at');
    advanceClock(10 * 365 * 86_400_000);
    expect(await sessionStatus(body.data.token)).toBe(200);
  });

  test('expires if it is not used for the configured time, and each use restarts that time', async () => {
    const strict = await openGateway(stores, {
      passwords,
      now: () => now,
      sessionSeconds: 0,
      idleSeconds: 3600,
    });
    const { body } = await strict.ask<SignedIn>('POST /auth/login', {
      body: { username: 'ann', password: PASSWORD },
    });
    const statuses: number[] = [];
    for (const seconds of [3599, 3599, 3600, 1]) {
      advanceClock(seconds * 1000);
      statuses.push((await strict.ask('GET /profile/sessions', { as: body.data.token })).status);
    }
    await strict.close();
    expect(statuses).toEqual([200, 200, 401, 401]);
  });

  test('that fails gives the same answer and takes the same work, whether or not the account exists', async () => {
    await gateway.account('bob');
    const answers = [
      await login('ann', 'wrong password'),
      await login('bob', PASSWORD),
      await login('nobody', PASSWORD),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(401);
      expect({ ...body, instance: '' }).toEqual({
        type: 'https://millrace.dev/problems/sign-in-failed',
        title: 'Signing in failed',
        status: 401,
        detail: 'The username or the password is wrong.',
        instance: '',
      });
    }
    expect(passwords.verifyCalls).toBe(3);
  });

  test('is refused after ten failures, whatever the password and whether the account exists', async () => {
    for (const name of ['ann', 'nobody']) {
      for (let times = 0; times < 10; times += 1)
        expect((await login(name, 'wrong password')).status).toBe(401);
      passwords.verifyCalls = 0;
      const refused = await login(name, PASSWORD);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
      expect(passwords.verifyCalls).toBe(0);
    }
    advanceClock(1000);
    expect((await login('ann', PASSWORD)).status).toBe(200);
    expect((await login('ann', 'wrong password')).status).toBe(401);
  });

  test('counts simultaneous attempts on all replicas', async () => {
    const other = await openGateway(stores, { passwords, now: () => now });
    const attempts = Array.from({ length: 30 }, async (_, index) => {
      const body = { username: 'ann', password: 'wrong password' };
      return (await (index % 2 === 0 ? gateway : other).ask('POST /auth/login', { body })).status;
    });
    const answers = await Promise.all(attempts);
    await other.close();
    expect(answers.filter((status) => status === 401)).toHaveLength(10);
    expect(answers.filter((status) => status === 429)).toHaveLength(20);
    expect(passwords.verifyCalls).toBe(10);
  });

  test('counts failures of many accounts by the address that a trusted proxy reports', async () => {
    const statuses = new Set<number>();
    for (let times = 0; times < 100; times += 1) statuses.add(await failFrom('203.0.113.7', `user${times}`));
    expect([...statuses]).toEqual([401]);
    expect(await failFrom('203.0.113.7', 'ann')).toBe(429);
    expect(await failFrom('203.0.113.8', 'ann')).toBe(401);
  });

  test('counts an IPv6 network as one sender', async () => {
    const statuses = new Set<number>();
    for (let times = 0; times < 100; times += 1)
      statuses.add(await failFrom(addressOf(times), `user${times}`));
    expect([...statuses]).toEqual([401]);
    expect(await failFrom(addressOf(100), 'ann')).toBe(429);
    expect(await failFrom('2001:db8:7:2::1', 'ann')).toBe(401);
  });

  test('accepts only the documented fields', async () => {
    const bodies: unknown[] = [
      {},
      { username: 'ann' },
      { username: 'ann', password: '' },
      { username: 'x'.repeat(101), password: PASSWORD },
      { username: 'ann', password: PASSWORD, secret_answer: 'blue' },
      [],
      'ann',
    ];
    for (const body of bodies) expect((await gateway.ask('POST /auth/login', { body })).status).toBe(400);
    const large = { username: 'ann', password: 'x'.repeat(9000) };
    expect((await gateway.ask('POST /auth/login', { body: large })).status).toBe(413);
    const xml = { 'content-type': 'application/xml' };
    expect((await gateway.ask('POST /auth/login', { body: {}, headers: xml })).status).toBe(415);
    // This form has no headers that say from which site it was sent.
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await gateway.ask('POST /auth/login', { body: {}, headers: form })).status).toBe(403);
  });

  test('leaves no password and no session in logs, the audit log or any other table', async () => {
    const { body } = await login('ann', PASSWORD);
    await login('ann', 'wrong password');
    const tables = await stores.pool.anyFirst(rows<{ text: string }>()`
      SELECT coalesce(query_to_xml('SELECT * FROM ' || quote_ident(tablename), true, true, '')::text, '')
      FROM pg_tables WHERE schemaname = 'public'`);
    const storedText = [...tables, ...gateway.lines].join('');
    expect(storedText).toContain('user.sign_in_failed');
    for (const secret of [
      PASSWORD,
      'wrong password',
      body.data.token,
      body.data.token.split('.')[2] ?? '?',
    ]) {
      expect(storedText).not.toContain(secret);
    }
  });
});

const seed = async () =>
  await seedAdmin({
    accounts: stores.access.accounts,
    passwords,
    firstAdmin: async () => ({ username: 'admin', password: 'from the Secret' }),
    now: () => now,
  });

describe('the first admin', () => {
  test('is created once, in an installation without accounts', async () => {
    expect(await seed()).toBe('not-empty');
    await stores.empty();
    const answers = await Promise.all([seed(), seed(), seed()]);
    expect(answers.filter((answer) => answer === 'seeded')).toHaveLength(1);
    expect(await seed()).toBe('not-empty');
  });

  test('has no access before the initial password is changed', async () => {
    await stores.empty();
    await seed();
    const { data } = (await login('admin', 'from the Secret')).body;
    expect(data.must_change_password).toBe(true);
    for (const route of [
      'GET /users',
      'GET /teams',
      'GET /profile',
      'GET /api-tokens',
      'GET /teams/main/pipelines',
    ]) {
      const { status, body } = await gateway.ask<{ type: string }>(route, { as: data.token });
      expect([status, body.type]).toEqual([403, 'https://millrace.dev/problems/password-change-required']);
    }
    const changePassword = { current_password: 'from the Secret', new_password: 'of my own making' };
    const changed = await gateway.ask<SignedIn>('PUT /profile/password', {
      as: data.token,
      body: changePassword,
    });
    expect(changed.body.data.must_change_password).toBe(false);
    expect(await sessionStatus(data.token)).toBe(401);
    expect((await gateway.ask('GET /users', { as: changed.body.data.token })).status).toBe(200);
    expect((await login('admin', 'from the Secret')).status).toBe(401);
  });
});

const changePassword = async (as: string, body: object): Promise<Answer<{ detail: string } & SignedIn>> =>
  await gateway.ask('PUT /profile/password', { as, body });

describe('a password', () => {
  test('is changed by a person who knows it, to an acceptable one', async () => {
    const token = (await login('ann', PASSWORD)).body.data.token;
    expect((await changePassword(token, { new_password: 'another one' })).status).toBe(403);
    expect(
      (await changePassword(token, { current_password: 'wrong password', new_password: 'another one' }))
        .status,
    ).toBe(403);
    expect(
      (await changePassword(token, { current_password: PASSWORD, new_password: 'short' })).body.detail,
    ).toContain('at least 8');
    expect((await changePassword(token, { current_password: PASSWORD, new_password: PASSWORD })).status).toBe(
      400,
    );
    const changed = await changePassword(token, { current_password: PASSWORD, new_password: 'another one' });
    expect(changed.status).toBe(200);
    expect([await sessionStatus(token), await sessionStatus(changed.body.data.token)]).toEqual([401, 200]);
    expect((await login('ann', 'another one')).status).toBe(200);
  });

  test('cannot be guessed with a session: the gateway refuses to verify more than ten', async () => {
    const token = (await login('ann', PASSWORD)).body.data.token;
    for (let times = 0; times < 10; times += 1) {
      expect(
        (await changePassword(token, { current_password: `wrong ${times}`, new_password: 'another one' }))
          .status,
      ).toBe(403);
    }
    expect(
      (await changePassword(token, { current_password: PASSWORD, new_password: 'another one' })).status,
    ).toBe(429);
  });

  test("that is common or contains the product's name is refused", async () => {
    const as = (await login('ann', PASSWORD)).body.data.token;
    for (const [newPassword, why] of [
      ['Trustno1', 'too common'],
      ['Millrace-1', 'the word millrace'],
    ]) {
      const answer = await changePassword(as, { current_password: PASSWORD, new_password: newPassword });
      expect([answer.status, answer.body.detail]).toEqual([400, expect.stringContaining(why ?? '')]);
    }
    expect(await sessionStatus(as)).toBe(200);
  });

  test('can be set without a current one if the account has none', async () => {
    await gateway.account('bob');
    const changed = await changePassword(await gateway.session('bob'), { new_password: 'the first one' });
    expect(changed.status).toBe(200);
    expect((await changePassword(changed.body.data.token, { new_password: 'the second one' })).status).toBe(
      403,
    );
  });

  test('works the same with argon2id', async () => {
    const gatewayWithArgon = await openGateway(stores, { passwords: await argon2Passwords() });
    await gatewayWithArgon.account('carl', { password: PASSWORD });
    const signInStatus = async (username: string, password: string): Promise<number> =>
      (await gatewayWithArgon.ask('POST /auth/login', { body: { username, password } })).status;
    const answers = [
      await signInStatus('carl', PASSWORD),
      await signInStatus('carl', 'wrong password'),
      await signInStatus('nobody', PASSWORD),
    ];
    await gatewayWithArgon.close();
    expect(answers).toEqual([200, 401, 401]);
  });
});

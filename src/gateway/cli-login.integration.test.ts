import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, ORIGIN, type Answer, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Logins of the command line that a person confirms in a browser, over HTTP and a real Postgres. */
const MINUTE = 60_000;
const FROM_OUR_PAGE = { origin: ORIGIN, 'sec-fetch-site': 'same-origin' };

let stores: TestStores;
let gateway: Gateway;
let now: Date;
let home: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { now: () => now, sessionSeconds: 86_400, tokenMaxSeconds: 0 });
});
beforeEach(async () => {
  now = new Date();
  home = mkdtempSync(join(tmpdir(), 'millrace-home-'));
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await gateway.account('ann', { teams: { main: 'write' } });
});
afterEach(() => rmSync(home, { recursive: true }));
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

const advanceClock = (milliseconds: number): void => {
  now = new Date(now.getTime() + milliseconds);
};
const newVerifier = (): string => randomBytes(32).toString('base64url');
const challengeOf = (verifier: string): string => createHash('sha256').update(verifier).digest('base64url');

interface Finished {
  data: { confirmed: boolean; session?: { token: string; username: string } };
}
const begin = async (verifier: string, address = '192.0.2.1'): Promise<Answer<{ data: { code: string } }>> =>
  await gateway.ask('POST /auth/cli-logins', {
    body: { challenge: challengeOf(verifier), client: 'laptop' },
    headers: { 'x-forwarded-for': address },
  });
const finish = async (verifier: string, address = '192.0.2.1'): Promise<Answer<Finished>> =>
  await gateway.ask<Finished>('POST /auth/cli-logins/finish', {
    body: { verifier },
    headers: { 'x-forwarded-for': address },
  });
const answer = async (
  code: string,
  verb: 'confirm' | 'refuse',
  as: string,
): Promise<Answer<{ type?: string }>> =>
  await gateway.ask(`POST /profile/cli-logins/${code}/${verb}`, { as });
const sessionStatus = async (as: string): Promise<number> =>
  (await gateway.ask('GET /auth/session', { as })).status;
const audit = async (): Promise<string[]> => {
  await gateway.account('root', { globalAdmin: true });
  const as = await gateway.session('root');
  type Entry = { actor: string; action: string; details: Record<string, string> };
  const { body } = await gateway.ask<{ data: Entry[] }>('GET /admin/audit', { as });
  return body.data
    .filter(({ action }) => action.includes('cli_login'))
    .map(({ actor, action, details }) => `${actor} ${action} ${details['client']} ${details['address']}`);
};

const cookieOf = (session: string): string => `__Host-millrace-session=${session}`;
const pauseTwoSeconds = async () => advanceClock(2000);
const confirmAs = (session: string) => async (address: string) => {
  const code = new URL(address).searchParams.get('code') ?? '';
  expect((await answer(code, 'confirm', session)).status).toBe(204);
};
const readCredentials = () => readFileSync(join(home, 'millrace', 'credentials.json'), 'utf8');
const page = async (path: string, session: string): Promise<Response> =>
  await fetch(`${gateway.base}${path}`, { headers: { accept: 'text/html', cookie: cookieOf(session) } });

describe('a login that a person confirms', () => {
  test('gives one session, to the command line that has the secret, and is in the audit log', async () => {
    const ann = await gateway.session('ann');
    const verifier = newVerifier();
    const begun = await begin(verifier);
    expect([begun.status, begun.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(begun.body.data).toEqual({
      code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      expires_at: new Date(now.getTime() + 5 * MINUTE).toISOString(),
      interval: 2,
    });
    const { code } = begun.body.data;
    expect((await finish(verifier)).body.data).toEqual({ confirmed: false });
    expect(
      (await gateway.ask(`GET /profile/cli-logins/${code.toLowerCase()}`, { as: ann })).body,
    ).toMatchObject({
      data: { code, client: 'laptop', address: '192.0.2.1' },
    });
    expect((await answer(code, 'confirm', ann)).status).toBe(204);
    expect((await finish(newVerifier())).status).toBe(404);
    const finished = await finish(verifier);
    expect(finished.body.data).toMatchObject({ confirmed: true, session: { username: 'ann' } });
    expect(await sessionStatus(finished.body.data.session?.token ?? '')).toBe(200);
    expect((await finish(verifier)).status).toBe(404);
    expect(await audit()).toEqual(['ann user.cli_login_confirmed laptop 192.0.2.1']);
  });

  test('cannot be confirmed twice, refused afterwards, or begun again with its secret', async () => {
    const ann = await gateway.session('ann');
    const verifier = newVerifier();
    const { code } = (await begin(verifier)).body.data;
    expect((await begin(verifier)).status).toBe(409);
    await answer(code, 'confirm', ann);
    expect((await answer(code, 'confirm', ann)).status).toBe(404);
    expect((await answer(code, 'refuse', ann)).status).toBe(404);
    expect((await finish(verifier)).status).toBe(200);
  });

  test('needs a sign-in of the last ten minutes, and its session counts as old as that sign-in', async () => {
    const ann = await gateway.session('ann');
    advanceClock(9 * MINUTE);
    const first = newVerifier();
    await answer((await begin(first)).body.data.code, 'confirm', ann);
    const token = (await finish(first)).body.data.session?.token ?? '';
    advanceClock(2 * MINUTE);
    const { code } = (await begin(newVerifier())).body.data;
    for (const as of [ann, token]) {
      const refused = await answer(code, 'confirm', as);
      expect([refused.status, refused.body.type]).toEqual([403, expect.stringContaining('/sign-in-again')]);
    }
  });

  test.each(['/auth/logout', '/auth/logout-everywhere'])(
    'ends if its session ends first: %s',
    async (url) => {
      const ann = await gateway.session('ann');
      const verifier = newVerifier();
      await answer((await begin(verifier)).body.data.code, 'confirm', ann);
      await gateway.ask(`POST ${url}`, { as: ann });
      expect((await finish(verifier)).status).toBe(404);
    },
  );
});

describe('a login gives nothing', () => {
  test('if a person refuses it', async () => {
    const ann = await gateway.session('ann');
    const verifier = newVerifier();
    const { code } = (await begin(verifier)).body.data;
    expect((await answer(code, 'refuse', ann)).status).toBe(204);
    expect((await finish(verifier)).status).toBe(404);
    expect(await audit()).toEqual(['ann user.cli_login_refused laptop 192.0.2.1']);
  });

  test('after five minutes, confirmed or not', async () => {
    const ann = await gateway.session('ann');
    const [confirmed, waiting] = [newVerifier(), newVerifier()];
    await answer((await begin(confirmed)).body.data.code, 'confirm', ann);
    const { code } = (await begin(waiting)).body.data;
    advanceClock(5 * MINUTE);
    expect([(await finish(confirmed)).status, (await finish(waiting)).status]).toEqual([404, 404]);
    expect((await answer(code, 'confirm', ann)).status).toBe(404);
  });

  test('if an API token tries to confirm it', async () => {
    const session = await gateway.session('ann');
    const token = await gateway.token(session, { name: 'own', personal: true });
    const { code } = (await begin(newVerifier())).body.data;
    expect((await answer(code, 'confirm', token)).status).toBe(403);
  });
});

test('the logins that an address begins and the codes that an account tries are limited', async () => {
  const statuses: number[] = [];
  for (let times = 0; times < 101; times += 1)
    statuses.push((await begin(newVerifier(), '192.0.2.9')).status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(100);
  expect(statuses.at(-1)).toBe(429);
  expect((await begin(newVerifier(), '192.0.2.10')).status).toBe(201);
  const ann = await gateway.session('ann');
  const tries = [];
  for (let times = 0; times < 11; times += 1) tries.push((await answer('BBBB-BBBB', 'confirm', ann)).status);
  expect(tries).toEqual([...Array(10).fill(404), 429]);
});

test('a person may try further codes after they confirm or refuse a login, not after they view one', async () => {
  const ann = await gateway.session('ann');
  const { code } = (await begin(newVerifier())).body.data;
  const statuses: number[] = [];
  for (let times = 0; times < 5; times += 1) {
    statuses.push((await answer('BBBB-BBBB', 'confirm', ann)).status);
    statuses.push((await gateway.ask(`GET /profile/cli-logins/${code}`, { as: ann })).status);
  }
  expect(statuses).toEqual(Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 404 : 200)));
  expect((await answer('BBBB-BBBB', 'confirm', ann)).status).toBe(429);
  for (const verb of ['refuse', 'confirm'] as const) {
    advanceClock(5000);
    const next = (await begin(newVerifier())).body.data.code;
    expect((await answer(next, verb, ann)).status).toBe(204);
    const tries = [];
    for (let times = 0; times < 10; times += 1) tries.push((await answer('BBBB-BBBB', verb, ann)).status);
    expect(tries).toEqual(Array(10).fill(404));
  }
});

describe('asking for the session', () => {
  test('deletes nothing until the login is confirmed, and then gives the session to one request', async () => {
    const ann = await gateway.session('ann');
    const verifier = newVerifier();
    const { code } = (await begin(verifier)).body.data;
    await stores.pool.query(rows()`
      CREATE FUNCTION refuse_delete() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'a delete'; END $$`);
    await stores.pool.query(rows()`
      CREATE TRIGGER refuse_delete BEFORE DELETE ON cli_logins EXECUTE FUNCTION refuse_delete()`);
    try {
      expect(await finish(verifier)).toMatchObject({ status: 200, body: { data: { confirmed: false } } });
      expect((await finish(newVerifier())).status).toBe(404);
    } finally {
      await stores.pool.query(rows()`DROP FUNCTION refuse_delete() CASCADE`);
    }
    await answer(code, 'confirm', ann);
    const all = await Promise.all(Array.from({ length: 8 }, async () => (await finish(verifier)).status));
    expect(all.toSorted((left, right) => left - right)).toEqual([200, ...Array(7).fill(404)]);
  });

  test('is refused to an address that asks far more often than every two seconds', async () => {
    const all = await Promise.all(
      Array.from({ length: 200 }, async () => await finish(newVerifier(), '192.0.2.77')),
    );
    const refused = all.filter(({ status }) => status === 429);
    expect(all.filter(({ status }) => status === 404).length).toBeGreaterThanOrEqual(100);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect((await finish(newVerifier(), '192.0.2.78')).status).toBe(404);
  });
});

describe('the page', () => {
  test('names the machine, the server and the account, and confirms only from our own page', async () => {
    const ann = await gateway.session('ann');
    const verifier = newVerifier();
    const { code } = (await begin(verifier)).body.data;
    const text = await (await page(`/profile/cli-login?code=${code}`, ann)).text();
    for (const part of [code, 'laptop', '192.0.2.1', new URL(ORIGIN).host, '<strong>ann</strong>'])
      expect(text).toContain(part);
    const csrf = /name="csrf_token" value="([^"]+)"/.exec(text)?.[1] ?? '';
    const send = async (headers: Record<string, string>, token: string) =>
      await fetch(`${gateway.base}/profile/cli-logins/${code}/confirm`, {
        method: 'POST',
        body: new URLSearchParams({ csrf_token: token }),
        headers: { cookie: cookieOf(ann), accept: 'text/html', ...headers },
      });
    const evil = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    expect((await send(evil, csrf)).status).toBe(403);
    expect((await send(FROM_OUR_PAGE, 'wrong')).status).toBe(403);
    expect((await finish(verifier)).body.data.confirmed).toBe(false);
    const done = await send(FROM_OUR_PAGE, csrf);
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('is logged in')]);
    expect((await finish(verifier)).body.data.confirmed).toBe(true);
  });

  test('sends a person without a session to sign in, and back', async () => {
    const headers = { accept: 'text/html' };
    const path = '/profile/cli-login?code=BCDF-GHJK';
    const answered = await fetch(`${gateway.base}${path}`, { headers, redirect: 'manual' });
    expect(answered.status).toBe(303);
    expect(answered.headers.get('location')).toBe(`/auth/login?return_to=${encodeURIComponent(path)}`);
  });

  test('asks for a code, for another one if it is unknown, and for a recent sign-in', async () => {
    const ann = await gateway.session('ann');
    expect(await (await page('/profile/cli-login', ann)).text()).toContain('Your terminal shows it');
    expect(await (await page('/profile/cli-login?code=%3Cb%3E', ann)).text()).toContain('No login waits');
    advanceClock(11 * MINUTE);
    const { code } = (await begin(newVerifier())).body.data;
    const text = await (await page(`/profile/cli-login?code=${code}`, ann)).text();
    expect(text).toContain('Sign in again to confirm');
    expect(text).not.toContain('/confirm"');
  });
});

describe('the command line', () => {
  interface RunOptions {
    /** What the person does in the browser. */
    inBrowser?: (address: string) => Promise<void>;
    atTerminal?: boolean;
    pause?: () => Promise<void>;
  }
  async function run(
    line: string,
    { inBrowser, atTerminal = true, pause = pauseTwoSeconds }: RunOptions = {},
  ): Promise<CommandResult> {
    return await millrace(`millrace ${line}`, {
      environment: { XDG_CONFIG_HOME: home },
      pause,
      ...(atTerminal && { ask: async () => '' }),
      ...(inBrowser && { openBrowser: inBrowser }),
    });
  }
  const tokens = async (): Promise<string> => (await run('tokens list -o name')).out;

  test('logs in through the browser, and never gets a password', async () => {
    const ran = await run(`login ${gateway.base}`, { inBrowser: confirmAs(await gateway.session('ann')) });
    expect([ran.exit, ran.out]).toEqual([0, '']);
    expect(ran.err).toMatch(
      /the page shows the code [A-Z]{4}-[A-Z]{4}:\n {2}http.*\/profile\/cli-login\?code=/,
    );
    expect(ran.err).toContain(`Logged in at ${gateway.base} as ann until 20`);
    expect(await run('whoami')).toMatchObject({ exit: 0, out: `ann at ${gateway.base}: main (write)\n` });
  });

  test('prints the address if no browser opens, and stops if the login is refused', async () => {
    const ann = await gateway.session('ann');
    const ran = await run(`login ${gateway.base}`, {
      async inBrowser(address) {
        await answer(new URL(address).searchParams.get('code') ?? '', 'refuse', ann);
        throw new Error('no browser');
      },
    });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('No browser could be opened')]);
    expect(ran.err).toContain('This login was refused');
    expect(readCredentials).toThrow('ENOENT');
  });

  test('with --no-browser, prints an address without the code', async () => {
    let opened = false;
    const ran = await run(`login ${gateway.base} --no-browser`, {
      atTerminal: false,
      inBrowser: async () => void (opened = true),
      pause: async () => advanceClock(3 * MINUTE),
    });
    expect([ran.exit, opened]).toEqual([2, false]);
    expect(ran.err).toContain(`${gateway.base}/profile/cli-login\n`);
  });

  test('creates, lists and revokes tokens, and confirms again if its login is old', async () => {
    await run(`login ${gateway.base}`, { inBrowser: confirmAs(await gateway.session('ann')) });
    const created = await run('tokens create ci --role write --expires 2099-01-31T12:00:00Z');
    expect([created.exit, created.out]).toEqual([0, expect.stringMatching(/^\S+\n$/)]);
    expect(await gateway.ask('GET /teams/main', { as: created.out.trim() })).toMatchObject({ status: 200 });
    advanceClock(11 * MINUTE);
    const credentialsBefore = readCredentials();
    const script = await run('tokens create more --personal', { atTerminal: false });
    expect([script.exit, script.err]).toEqual([2, expect.stringContaining('Sign in again first')]);
    const again = await run('tokens create more --personal', {
      inBrowser: async (address) => await confirmAs(await gateway.session('ann'))(address),
    });
    expect([again.exit, again.err]).toEqual([
      0,
      expect.stringContaining('needs a login of the last ten minutes'),
    ]);
    expect(readCredentials()).toBe(credentialsBefore);
    expect(await tokens()).toBe('token/more\ntoken/ci\n');
    expect((await run('tokens list')).out).toMatch(
      /^NAME +RIGHTS +EXPIRES.*\nmore +personal .*\nci +main \(write\) +2099/,
    );
    expect(await run('tokens revoke ci')).toMatchObject({ exit: 0, out: 'Token ci revoked.\n' });
    expect(await tokens()).toBe('token/more\n');
    expect(await run('tokens revoke ci')).toMatchObject({ exit: 2 });
  });

  test.each(['tokens create x', 'tokens create x --personal'])(
    'refuses without a login: %s',
    async (line) => {
      expect(await run(line)).toMatchObject({ exit: 2 });
    },
  );
});

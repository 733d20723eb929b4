import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from '@jest/globals';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openFakeServer, type Responder } from '#testing/cli/fake-server.ts';

/* Ann's stored login is too old to create a token, so she logs in with the browser to create one. */
const folder = mkdtempSync(join(tmpdir(), 'millrace-tokens-'));
const problem = (kind: string) => ({
  type: `https://millrace.dev/problems/${kind}`,
  detail: `It is ${kind}.`,
});
const CREATED = { id: 1, name: 'ci', personal: true, token: 'tok_new' };

let server: Awaited<ReturnType<typeof openFakeServer>>;
let confirmedBy: string;
let creations: ReturnType<Responder>[];
let logout: ReturnType<Responder>;
/** The server's first answers to a poll; the answer after them contains the confirmed session. */
let polls: ReturnType<Responder>[];

const answers: Record<string, Responder> = {
  'GET /profile': () => ({ data: { username: 'ann', global_admin: false, teams: {} } }),
  'POST /api-tokens': () => creations.shift() ?? { status: 500, problem: {} },
  'POST /auth/cli-logins': () => ({ data: { code: 'BCDF-GHJK', interval: 2 } }),
  'POST /auth/cli-logins/finish': () =>
    polls.shift() ?? {
      data: { confirmed: true, session: { token: 'jwt.of.session', username: confirmedBy } },
    },
  'POST /auth/logout': () => logout,
};

beforeEach(async () => {
  confirmedBy = 'ann';
  creations = [{ status: 403, problem: problem('sign-in-again') }, { data: CREATED }];
  logout = { status: 204 };
  polls = [];
  server = await openFakeServer((route) => answers[route]?.(route) ?? { status: 404, problem: {} });
});
afterEach(async () => await server.close());
afterAll(() => rmSync(folder, { recursive: true }));

const create = async (...more: string[]): Promise<CommandResult> =>
  await millrace(['millrace', 'tokens', 'create', 'ci', '--personal', ...more], {
    environment: { XDG_CONFIG_HOME: folder, MILLRACE_URL: server.url, MILLRACE_TOKEN: 'tok_old' },
    ask: async () => '',
    openBrowser: async () => undefined,
    pause: async () => undefined,
  });
const countOf = (route: string): number =>
  server.requests.filter((request) => request.route === route).length;

test('`tokens create` names the account of the new token, and ends the session that it needed', async () => {
  const ran = await create();
  expect(ran).toMatchObject({ exit: 0, out: 'tok_new\n' });
  expect(ran.err).toContain('Token ci of ann (personal) never expires.');
  expect(countOf('POST /auth/logout')).toBe(1);
  creations = [{ data: CREATED }];
  expect(JSON.parse((await create('--output', 'json')).out)).toMatchObject({
    token: 'tok_new',
    username: 'ann',
  });
});

test('`tokens create` prints the token even if its session cannot be ended', async () => {
  logout = { status: 502, problem: { detail: 'The gateway is unreachable.' } };
  const ran = await create();
  expect(ran).toMatchObject({ exit: 0, out: 'tok_new\n' });
  expect(ran.err).toContain(
    'could not be ended (The gateway is unreachable.). It ends by itself; to end it now, open',
  );
});

test('`tokens create` says why the token was not created even if its session cannot be ended', async () => {
  creations[1] = { status: 409, problem: { detail: 'You have 100 tokens.' } };
  logout = { status: 502, problem: { detail: 'The gateway is unreachable.' } };
  const ran = await create();
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain('You have 100 tokens.');
});

test('`tokens create` creates no token for another account that confirmed in the browser', async () => {
  confirmedBy = 'bob';
  const ran = await create();
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain('bob confirmed in the browser, but you are logged in here as ann: no token was');
  expect([countOf('POST /api-tokens'), countOf('POST /auth/logout')]).toEqual([1, 1]);
});

test('`tokens create` keeps polling if the server limits its address', async () => {
  const busy = { status: 429, problem: problem('too-many-requests') };
  polls = [busy, busy, { data: { confirmed: false } }, busy];
  expect(await create()).toMatchObject({ exit: 0, out: 'tok_new\n' });
});

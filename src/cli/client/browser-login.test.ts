import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openFakeServer, type Responder } from '#testing/cli/fake-server.ts';
import { loginInBrowser } from './browser-login.ts';

const PENDING = { data: { confirmed: false } };
const CONFIRMED = { data: { confirmed: true, session: { token: 'jwt.of.session', username: 'ann' } } };
const FIVE_MINUTES_MS = 5 * 60_000;

let server: Awaited<ReturnType<typeof openFakeServer>>;
/** The server's answers to polls; it repeats the last one. */
let polls: ReturnType<Responder>[];
let pauses: number[];
let messages: string;

beforeEach(async () => {
  pauses = [];
  messages = '';
  server = await openFakeServer((route) => {
    if (route === 'POST /auth/cli-logins') return { data: { code: 'BCDF-GHJK', interval: 2 } };
    return (polls.length > 1 ? polls.shift() : polls[0]) ?? PENDING;
  });
});
afterEach(async () => await server.close());

const logIn = async () =>
  await loginInBrowser(
    server.url,
    { browser: false },
    {
      out: () => undefined,
      err: (text) => void (messages += text),
      stdin: noInput,
      isScreen: false,
      colour: false,
      pause: async (milliseconds) => void pauses.push(milliseconds),
    },
  );
async function* noInput() {}
const outage = (status: number) => ({ status, problem: { detail: `It answered ${status}.` } });

test('a login waits out an outage of the gateway, with longer and longer pauses', async () => {
  polls = [
    PENDING,
    outage(502),
    outage(503),
    outage(503),
    outage(500),
    outage(429),
    outage(503),
    PENDING,
    CONFIRMED,
  ];
  expect(await logIn()).toMatchObject({ token: 'jwt.of.session' });
  expect(pauses).toEqual([2000, 2000, 2000, 4000, 8000, 15_000, 15_000, 15_000, 2000]);
  expect(messages.match(/It answered/g)).toHaveLength(1);
  expect(messages).toContain('It answered 502. Trying again until the login expires.\n');
});

test('a login ends with the last error once it would have expired', async () => {
  polls = [outage(503)];
  await expect(logIn()).rejects.toThrow('It answered 503.');
  const waitedMs = pauses.reduce((sum, pause) => sum + pause, 0);
  expect(waitedMs).toBeGreaterThanOrEqual(FIVE_MINUTES_MS);
  expect(waitedMs).toBeLessThan(FIVE_MINUTES_MS + 15_000);
});

test('a login ends at once if it was refused', async () => {
  polls = [PENDING, { status: 404, problem: { detail: 'This login was refused.' } }];
  await expect(logIn()).rejects.toThrow('This login was refused.');
  expect(pauses).toEqual([2000, 2000]);
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, ORIGIN, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* How people create API tokens, and when tokens end, over HTTP and a real Postgres. */
const PASSWORD = 'correct horse';
const NEW_PASSWORD = 'a sentence of mine';
const MINUTE = 60_000;
const DAY = 86_400_000;
let stores: TestStores;
let gateway: Gateway;
let strict: Gateway;
let now: Date;
let ann: string;
let root: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { now: () => now, sessionSeconds: 0 });
  strict = await openGateway(stores, { now: () => now, sessionSeconds: 0, tokenMaxSeconds: 365 * 86_400 });
});
beforeEach(async () => {
  now = new Date();
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await gateway.account('root', { globalAdmin: true });
  await gateway.account('ann', { teams: { main: 'write' }, password: PASSWORD });
  [root, ann] = await Promise.all([gateway.session('root'), gateway.session('ann')]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), strict.close()]);
  await stores.close();
});

interface TokenJson {
  type: string;
  detail: string;
  data: { token: string; expires_at?: string };
}
const createToken = async (options: object = {}, replica = gateway) =>
  await replica.ask<TokenJson>('POST /api-tokens', {
    as: ann,
    body: { name: randomUUID(), personal: true, ...options },
  });
const works = async (token: string): Promise<boolean> =>
  (await gateway.ask('GET /teams/main', { as: token })).status === 200;
const advanceClock = (milliseconds: number): void => void (now = new Date(now.getTime() + milliseconds));

describe('an API token', () => {
  test('can be created only soon after a sign-in, so that a browser left open is not enough', async () => {
    expect((await createToken()).status).toBe(201);
    advanceClock(10 * MINUTE);
    const refused = await createToken();
    expect([refused.status, refused.body.type]).toEqual([403, 'https://millrace.dev/problems/sign-in-again']);
    ann = await gateway.session('ann');
    expect((await createToken()).status).toBe(201);
  });

  test('expires after 90 days unless another lifetime is requested', async () => {
    const created = await createToken();
    expect(created.body.data.expires_at).toBe(new Date(now.getTime() + 90 * DAY).toISOString());
    advanceClock(90 * DAY - 1);
    expect(await works(created.body.data.token)).toBe(true);
    advanceClock(1);
    expect(await works(created.body.data.token)).toBe(false);
  });

  test('never expires only if the installation allows it and the request asks for it', async () => {
    const endless = await createToken({ expires_at: null });
    expect([endless.status, endless.body.data.expires_at]).toEqual([201, undefined]);
    for (const expires_at of [null, new Date(now.getTime() + 366 * DAY).toISOString()]) {
      const refused = await createToken({ expires_at }, strict);
      expect([refused.status, refused.body.detail]).toEqual([
        400,
        expect.stringContaining('Tokens expire within 365 days here'),
      ]);
    }
    expect(
      (await createToken({ expires_at: new Date(now.getTime() + 365 * DAY).toISOString() }, strict)).status,
    ).toBe(201);
  });

  test('without an expiry, from the previous release, still works and is shown as one that never expires', async () => {
    const { token } = (await createToken()).body.data;
    await stores.pool.query(rows()`UPDATE api_tokens SET expires_at = NULL`);
    advanceClock(1000 * DAY);
    expect(await works(token)).toBe(true);
    ann = await gateway.session('ann');
    const list = await gateway.ask<{ data: { expires_at?: string }[] }>('GET /api-tokens', { as: ann });
    expect(list.body.data.map((listed) => listed.expires_at)).toEqual([undefined]);
    const page = await gateway.ask('GET /profile', {
      headers: { cookie: `__Host-millrace-session=${ann}`, accept: 'text/html' },
    });
    expect(page.text).toContain('<td role="cell" data-title="Expires">never</td>');
  });
});

const ENDS: Record<string, (more: object) => Promise<number>> = {
  'a new password': async (more) => {
    const body = { current_password: PASSWORD, new_password: NEW_PASSWORD, ...more };
    return (await gateway.ask('PUT /profile/password', { as: ann, body })).status;
  },
  'signing out everywhere': async (more) =>
    (await gateway.ask('POST /auth/logout-everywhere', { as: ann, body: more })).status,
  'a password that an admin gives': async (more) =>
    (await gateway.ask('PUT /users/ann', { as: root, body: { password: NEW_PASSWORD, ...more } })).status,
};
const countTokens = async (): Promise<number> =>
  await stores.pool.oneFirst(rows<{ count: number }>()`SELECT count(*) FROM api_tokens`);

describe.each(Object.entries(ENDS))('%s', (_, end) => {
  test('deletes the API tokens of the account, including team tokens, and the audit log says how many', async () => {
    const scope = { personal: false, team_canonical: 'main', role: 'read' };
    const tokens = [await createToken(), await createToken(scope)].map(({ body }) => body.data.token);
    expect(await Promise.all(tokens.map(works))).toEqual([true, true]);
    expect([200, 204]).toContain(await end({}));
    expect(await Promise.all(tokens.map(works))).toEqual([false, false]);
    const audit = await gateway.ask<{ data: { details?: object }[] }>('GET /admin/audit', { as: root });
    expect(audit.body.data.map(({ details }) => details)).toContainEqual({ tokens_deleted: 2 });
  });

  test('keeps the API tokens on request', async () => {
    await createToken();
    expect([200, 204]).toContain(await end({ keep_tokens: true }));
    expect(await countTokens()).toBe(1);
  });

  test('deletes even API tokens that are created at the same moment', async () => {
    await Promise.all([end({}), ...Array.from({ length: 8 }, async () => await createToken())]);
    expect(await countTokens()).toBe(0);
  });
});

test('a form keeps tokens if its box is ticked', async () => {
  const cookie = `__Host-millrace-session=${ann}`;
  const session = await gateway.ask<{ data: { csrf_token: string } }>('GET /auth/session', { as: ann });
  const fields = {
    csrf_token: session.body.data.csrf_token,
    current_password: PASSWORD,
    new_password: NEW_PASSWORD,
  };
  await createToken();
  const answer = await fetch(`${gateway.base}/profile/password`, {
    method: 'POST',
    headers: { cookie, accept: 'text/html', origin: ORIGIN },
    body: new URLSearchParams({ ...fields, keep_tokens: 'yes' }),
    redirect: 'manual',
  });
  expect([answer.status, await countTokens()]).toEqual([303, 1]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { type Role } from '#domain/access/roles.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* API tokens, over HTTP and a real Postgres. */
let stores: TestStores;
let gateway: Gateway;
let now: Date;
let root: string;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { now: () => now, sessionSeconds: 0 });
});
beforeEach(async () => {
  now = new Date();
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.teams.saveTeam({ name: 'web', namespace: 'web', displayName: 'Web' });
  await stores.pool.query(rows()`DELETE FROM audit_log`);
  await gateway.account('root', { globalAdmin: true });
  root = await gateway.session('root');
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

interface Problem {
  type: string;
  detail: string;
}
const kind = ({ type }: Problem): string => type.split('/').at(-1) ?? '';
const ask = async <T = Problem>(route: string, as: string, body?: unknown) =>
  await gateway.ask<T>(route, { as, ...(body === undefined ? {} : { body }) });

const scope = (role: Role, team = 'main') => ({ personal: false, team_canonical: team, role });

describe('API tokens', () => {
  let ann: string;
  beforeEach(async () => {
    await gateway.account('ann', { teams: { main: 'maintain', web: 'read' } });
    ann = await gateway.session('ann');
  });

  test('are shown once and stored as a hash', async () => {
    const created = await ask<{ data: { token: string; token_prefix: string } }>('POST /api-tokens', ann, {
      name: 'ci',
      personal: true,
    });
    expect(created.status).toBe(201);
    const { token } = created.body.data;
    expect(token).toMatch(/^tok_[0-9a-f]{64}$/);
    expect(created.body.data).toEqual({
      id: expect.any(Number),
      name: 'ci',
      username: 'ann',
      personal: true,
      token_prefix: token.slice(0, 12),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 90 * 86_400_000).toISOString(),
      token,
    });
    const stored = await stores.pool.oneFirst(
      rows<{ text: string }>()`SELECT row_to_json(api_tokens)::text FROM api_tokens`,
    );
    expect(stored).not.toContain(token.slice(12));
    expect((await ask('GET /api-tokens', ann)).text).not.toContain(token.slice(12));
    expect(gateway.lines.join('')).not.toContain(token.slice(12));
  });

  test('have the rights of their person, or at most one role in their team', async () => {
    const personal = await gateway.token(ann, { name: 'all', personal: true });
    const reader = await gateway.token(ann, { name: 'reader', ...scope('read') });
    expect((await ask('GET /teams/web', personal)).status).toBe(200);
    expect((await ask('GET /teams/main', reader)).status).toBe(200);
    expect((await ask('GET /teams/web', reader)).status).toBe(403);
    expect((await ask('GET /profile', reader)).status).toBe(403);
    const check = 'POST /teams/main/pipelines/app/resources/git.app/check';
    expect([(await ask(check, personal)).status, (await ask(check, reader)).status]).toEqual([404, 403]);
  });

  test('never have more rights than their owner has now', async () => {
    const token = await gateway.token(ann, { name: 'ci', ...scope('maintain') });
    const check = 'POST /teams/main/pipelines/app/resources/git.app/check';
    expect((await ask(check, token)).status).toBe(404);
    await ask('PUT /teams/main/members/ann', root, { role: 'read' });
    expect([(await ask(check, token)).status, (await ask('GET /teams/main', token)).status]).toEqual([
      403, 200,
    ]);
    await ask('DELETE /teams/main/members/ann', root);
    expect((await ask('GET /teams/main', token)).status).toBe(401);
    await ask('POST /teams/main/members', root, { username: 'ann' });
    expect((await ask('GET /teams/main', token)).status).toBe(401);
  });

  const refused: Record<string, [body: object, status: number]> = {
    "a role above the person's own": [{ name: 'x', ...scope('admin') }, 403],
    'a team that the person is not in': [{ name: 'x', ...scope('read', 'absent') }, 403],
    'a personal token with a role': [{ name: 'x', personal: true, role: 'admin' }, 400],
    'a token of a team without a role': [{ name: 'x', personal: false, team_canonical: 'main' }, 400],
    'an empty name': [{ name: ' ', personal: true }, 400],
    'an expiry in the past': [{ name: 'x', personal: true, expires_at: '2020-01-01T00:00:00Z' }, 400],
    'an expiry that is not a time': [{ name: 'x', personal: true, expires_at: 'soon' }, 400],
  };
  test.each(Object.entries(refused))('are refused for %s', async (_name, [body, status]) => {
    expect((await ask('POST /api-tokens', ann, body)).status).toBe(status);
  });

  test('cannot be created by a global admin for a team that does not exist', async () => {
    expect((await ask('POST /api-tokens', root, { name: 'x', ...scope('read', 'absent') })).status).toBe(404);
  });

  test('cannot share a name, not even when created at the same moment', async () => {
    const responses = await Promise.all(
      [1, 2].map(async () => await ask('POST /api-tokens', ann, { name: 'ci', personal: true })),
    );
    expect(responses.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
  });

  test('give no access after they expire, and stay in the list', async () => {
    const expires_at = new Date(now.getTime() + 60_000).toISOString();
    const token = await gateway.token(ann, { name: 'short', personal: true, expires_at });
    expect((await ask('GET /profile', token)).status).toBe(200);
    now = new Date(now.getTime() + 60_000);
    expect((await ask('GET /profile', token)).status).toBe(401);
    const list = await ask<{ data: object[] }>('GET /api-tokens', ann);
    expect(list.body.data).toMatchObject([{ name: 'short', expires_at, last_used_at: expect.any(String) }]);
  });

  test('record their use at most once a minute', async () => {
    const token = await gateway.token(ann, { name: 'ci', personal: true });
    const start = now;
    const useAndReadLastUse = async (): Promise<string | undefined> => {
      await ask('GET /profile', token);
      const list = await ask<{ data: { last_used_at?: string }[] }>('GET /api-tokens', ann);
      return list.body.data[0]?.last_used_at;
    };
    expect(await useAndReadLastUse()).toBe(start.toISOString());
    now = new Date(start.getTime() + 30_000);
    expect(await useAndReadLastUse()).toBe(start.toISOString());
    now = new Date(start.getTime() + 61_000);
    expect(await useAndReadLastUse()).toBe(now.toISOString());
  });

  test('cannot manage tokens, and are not read from a query or a cookie', async () => {
    const token = await gateway.token(root, { name: 'all', personal: true });
    expect((await ask('GET /api-tokens', token)).status).toBe(403);
    expect((await ask('POST /api-tokens', token, { name: 'y', personal: true })).status).toBe(403);
    for (const name of ['token', 'access_token']) {
      expect((await gateway.ask(`GET /profile?${name}=${token}`)).status).toBe(401);
    }
    expect(
      (await gateway.ask('GET /profile', { headers: { cookie: `__Host-millrace-session=${token}` } })).status,
    ).toBe(401);
  });

  test('can be deleted by their owner, and are deleted with the account', async () => {
    const token = await gateway.token(ann, { name: 'ci', personal: true });
    const other = await gateway.token(ann, { name: 'other', personal: true });
    const list = await ask<{ data: { id: number; name: string }[] }>('GET /api-tokens', ann);
    const id = list.body.data.find(({ name }) => name === 'ci')?.id;
    expect((await ask(`DELETE /api-tokens/${id}`, root)).status).toBe(404);
    expect((await ask(`DELETE /api-tokens/${id}`, ann)).status).toBe(204);
    expect([(await ask('GET /profile', token)).status, (await ask('GET /profile', other)).status]).toEqual([
      401, 200,
    ]);
    await ask('DELETE /users/ann', root);
    expect((await ask('GET /profile', other)).status).toBe(401);
  });

  test('are refused while their owner must change the password', async () => {
    const token = await gateway.token(ann, { name: 'ci', personal: true });
    await ask('PUT /users/ann', root, { password: 'from an admin', keep_tokens: true });
    expect(kind((await ask('GET /profile', token)).body)).toBe('password-change-required');
  });
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { rows } from '#adapters/database/connection/pool.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { RUNS } from '#testing/scheduling/runs.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Accounts, members, tokens and the audit log, over HTTP and a real Postgres. */
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
const ask = async <T = Problem>(what: string, as: string, body?: unknown) =>
  await gateway.ask<T>(what, { as, ...(body === undefined ? {} : { body }) });

describe('accounts', () => {
  test('are made, read, changed and deleted by a global admin', async () => {
    const made = await ask<{ data: object }>('POST /users', root, {
      username: 'ann',
      full_name: 'Ann A',
      password: 'for the first day',
    });
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({
      username: 'ann',
      full_name: 'Ann A',
      global_admin: false,
      has_password: true,
      must_change_password: true,
      teams: {},
    });
    expect(made.text).not.toContain('hash');
    expect(kind((await ask('POST /users', root, { username: 'ann' })).body)).toBe('already-exists');
    const changed = await ask<{ data: object }>('PUT /users/ann', root, {
      full_name: 'Ann B',
      global_admin: true,
    });
    expect(changed.body.data).toMatchObject({ full_name: 'Ann B', global_admin: true });
    expect((await ask('DELETE /users/ann', root)).status).toBe(204);
    expect((await ask('GET /users/ann', root)).status).toBe(404);
    expect((await ask('DELETE /users/ann', root)).status).toBe(404);
  });

  test('come in pages', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await gateway.account(name);
    interface Page {
      data: { id: number; username: string }[];
      has_more: boolean;
    }
    const first = (await ask<Page>('GET /users?limit=2', root)).body;
    expect([first.data.map(({ username }) => username), first.has_more]).toEqual([['d', 'c'], true]);
    const second = (await ask<Page>(`GET /users?limit=5&before=${first.data[1]?.id}`, root)).body;
    expect([second.data.map(({ username }) => username), second.has_more]).toEqual([
      ['b', 'a', 'root'],
      false,
    ]);
  });

  test('have names that will do', async () => {
    for (const username of ['Ann', 'an/n', '../x', 'a b', '']) {
      expect([username, (await ask('POST /users', root, { username })).status]).toEqual([username, 400]);
    }
  });

  test('keep a global admin, and the last admin of a team', async () => {
    expect(kind((await ask('PUT /users/root', root, { global_admin: false })).body)).toBe('last-admin');
    expect(kind((await ask('DELETE /users/root', root)).body)).toBe('last-admin');
    await gateway.account('ann', { teams: { main: 'admin', web: 'admin' } });
    await gateway.account('bob', { teams: { web: 'admin' } });
    const refused = await ask('DELETE /users/ann', root);
    expect([refused.status, kind(refused.body)]).toEqual([409, 'last-admin']);
    expect(refused.body.detail).toContain('last admin of main:');
    await gateway.account('two', { globalAdmin: true });
    expect((await ask('PUT /users/root', root, { global_admin: false })).status).toBe(200);
    expect((await ask('GET /users', root)).status).toBe(403);
  });

  test('that are switched off have no way in, and have it again when they are switched on', async () => {
    await gateway.account('ann', { password: 'a long phrase', teams: { main: 'admin' } });
    const ann = await gateway.session('ann');
    const token = await gateway.token(ann, { name: 'x', personal: true });
    const signIn = async () =>
      await gateway.ask('POST /auth/login', { body: { username: 'ann', password: 'a long phrase' } });
    const last = await ask('PUT /users/ann', root, { disabled: true });
    expect([last.status, kind(last.body)]).toEqual([409, 'last-admin']);
    await gateway.account('bob', { teams: { main: 'admin' } });
    const off = await ask<{ data: object }>('PUT /users/ann', root, { disabled: true });
    expect([off.status, off.body.data]).toMatchObject([200, { disabled: true }]);
    expect([await ask('GET /profile', ann), await ask('GET /profile', token), await signIn()]).toMatchObject([
      { status: 401 },
      { status: 401 },
      { status: 401 },
    ]);
    // Whoever is switched off is nobody's last admin, and does not count as another one.
    expect(kind((await ask('DELETE /teams/main/members/bob', root)).body)).toBe('last-admin');
    expect((await ask('PUT /users/ann', root, { disabled: false })).status).toBe(200);
    expect((await signIn()).status).toBe(200);
    expect((await ask('GET /profile', token)).status).toBe(200);
    expect((await ask('GET /profile', ann)).status).toBe(401);
    expect(kind((await ask('PUT /users/root', root, { disabled: true })).body)).toBe('last-admin');
  });

  test('that demote each other at the same moment leave one global admin', async () => {
    await gateway.account('two', { globalAdmin: true });
    const two = await gateway.session('two');
    const both = await Promise.all([
      ask('PUT /users/two', root, { global_admin: false }),
      ask('PUT /users/root', two, { global_admin: false }),
    ]);
    expect(both.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
  });
});

describe('members', () => {
  test('are added, changed and removed by an admin of the team', async () => {
    await gateway.account('ann', { teams: { main: 'admin' } });
    await gateway.account('bob');
    const [ann, bob] = [await gateway.session('ann'), await gateway.session('bob')];
    expect((await ask('GET /teams/main', bob)).status).toBe(403);
    const added = await ask<{ data: object }>('POST /teams/main/members', ann, { username: 'bob' });
    expect([added.status, added.body.data]).toMatchObject([201, { username: 'bob', role: 'maintain' }]);
    expect(kind((await ask('POST /teams/main/members', ann, { username: 'bob' })).body)).toBe(
      'already-exists',
    );
    expect((await ask('GET /teams/main', bob)).status).toBe(200);
    expect((await ask('PUT /teams/main/members/bob', ann, { role: 'read' })).status).toBe(200);
    expect((await ask('PUT /teams/main/members/bob', bob, { role: 'admin' })).status).toBe(403);
    expect((await ask('PUT /teams/main/members/bob', ann, { role: 'owner' })).status).toBe(400);
    expect((await ask('DELETE /teams/main/members/bob', ann)).status).toBe(204);
    expect((await ask('DELETE /teams/main/members/bob', ann)).status).toBe(404);
    expect((await ask('GET /teams/main', bob)).status).toBe(403);
    expect((await ask('POST /teams/main/members', ann, { username: 'nobody' })).body.detail).toBe(
      'User nobody does not exist.',
    );
  });

  test('see the teams they are in, a global admin all', async () => {
    await gateway.account('ann', { teams: { web: 'read' } });
    const mine = await ask<{ data: object[] }>('GET /teams', await gateway.session('ann'));
    const more = { pipelines: 0, groups: [], managed_by: 'manifest' };
    const web = { ...more, name: 'web', display_name: 'Web', members: 1, by_manifest: ['display_name'] };
    expect(mine.body.data).toEqual([{ ...web, role: 'read' }]);
    const all = await ask<{ data: object[] }>('GET /teams', root);
    expect(all.body.data).toEqual([{ ...more, name: 'main', members: 0, by_manifest: [] }, web]);
  });

  test('keep an admin', async () => {
    await gateway.account('ann', { teams: { main: 'admin' } });
    const ann = await gateway.session('ann');
    expect(kind((await ask('PUT /teams/main/members/ann', ann, { role: 'write' })).body)).toBe('last-admin');
    expect(kind((await ask('DELETE /teams/main/members/ann', root)).body)).toBe('last-admin');
  });

  test('that a manifest names are not changed here', async () => {
    await gateway.account('ann', { teams: { main: 'read' } });
    await stores.pool.query(rows()`UPDATE teams SET members_by_manifest = true`);
    for (const [what, body] of [
      ['POST /teams/main/members', { username: 'root', role: 'read' }],
      ['PUT /teams/main/members/ann', { role: 'write' }],
      ['DELETE /teams/main/members/ann', undefined],
    ] as const) {
      const refused = await ask(what, root, body);
      expect([what, refused.status, kind(refused.body)]).toEqual([what, 409, 'managed-by-manifest']);
    }
  });

  test('of a team that was removed are none of the next team of that name', async () => {
    await gateway.account('ann', { teams: { main: 'admin' } });
    const ann = await gateway.session('ann');
    const token = await gateway.token(ann, {
      name: 'x',
      personal: false,
      team_canonical: 'main',
      role: 'admin',
    });
    await stores.teams.removeTeam('main');
    expect((await ask('GET /teams/main', ann)).status).toBe(403);
    await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
    expect((await ask('GET /teams/main', ann)).status).toBe(403);
    expect((await ask('GET /teams/main', token)).status).toBe(401);
  });

  test('no order of changes, also side by side, leaves a team without an admin or nobody global admin', async () => {
    const names = ['a', 'b', 'c'];
    const role = fc.constantFrom<Role>(...ROLES);
    const change = fc.oneof(
      fc.record({ what: fc.constant('role' as const), who: fc.constantFrom(...names), role }),
      fc.record({ what: fc.constant('remove' as const), who: fc.constantFrom(...names) }),
      fc.record({ what: fc.constant('delete' as const), who: fc.constantFrom(...names) }),
      fc.record({ what: fc.constant('demote' as const), who: fc.constantFrom(...names) }),
    );
    const act = { by: 'test', at: now };
    const { accounts, members } = stores.access;
    const { addMember: _, ...flows } = await import('#flows/people/manage-accounts.ts');
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        async (rounds) => {
          await stores.pool.query(rows()`DELETE FROM users`);
          for (const name of names)
            await gateway.account(name, { globalAdmin: true, teams: { main: 'admin' } });
          for (const round of rounds) {
            await Promise.all(
              round.map(async (one) => {
                const member = { team: 'main', username: one.who };
                if (one.what === 'role')
                  return await flows.changeRole({ ...member, role: one.role }, act, members);
                if (one.what === 'remove') return await flows.removeMember(member, act, members);
                if (one.what === 'delete') return await flows.removeAccount(one.who, act, { accounts });
                const ports = { accounts, passwords: gateway.ports.passwords };
                return await flows.changeAccount(one.who, { globalAdmin: false }, act, ports);
              }),
            );
          }
          const left = await stores.pool.one(rows<{ admins: number; roots: number }>()`
          SELECT (SELECT count(*) FROM team_members WHERE role = 'admin') AS admins,
            (SELECT count(*) FROM users WHERE global_admin) AS roots`);
          expect(left.admins).toBeGreaterThan(0);
          expect(left.roots).toBeGreaterThan(0);
        },
      ),
      { numRuns: Math.ceil(RUNS / 25) },
    );
  });
});

const scope = (role: Role, team = 'main') => ({ personal: false, team_canonical: team, role });

describe('tokens', () => {
  let ann: string;
  beforeEach(async () => {
    await gateway.account('ann', { teams: { main: 'maintain', web: 'read' } });
    ann = await gateway.session('ann');
  });

  test('are shown once, and kept as a hash', async () => {
    const made = await ask<{ data: { token: string; token_prefix: string } }>('POST /api-tokens', ann, {
      name: 'ci',
      personal: true,
    });
    expect(made.status).toBe(201);
    const { token } = made.body.data;
    expect(token).toMatch(/^tok_[0-9a-f]{64}$/);
    expect(made.body.data).toEqual({
      id: expect.any(Number),
      name: 'ci',
      username: 'ann',
      personal: true,
      token_prefix: token.slice(0, 12),
      created_at: now.toISOString(),
      expires_at: new Date(now.getTime() + 90 * 86_400_000).toISOString(),
      token,
    });
    const kept = await stores.pool.oneFirst(
      rows<{ text: string }>()`SELECT row_to_json(api_tokens)::text FROM api_tokens`,
    );
    expect(kept).not.toContain(token.slice(12));
    expect((await ask('GET /api-tokens', ann)).text).not.toContain(token.slice(12));
    expect(gateway.lines.join('')).not.toContain(token.slice(12));
  });

  test('of a person have all their rights, those of a team at most a role in it', async () => {
    const personal = await gateway.token(ann, { name: 'all', personal: true });
    const reader = await gateway.token(ann, { name: 'reader', ...scope('read') });
    expect((await ask('GET /teams/web', personal)).status).toBe(200);
    expect((await ask('GET /teams/main', reader)).status).toBe(200);
    expect((await ask('GET /teams/web', reader)).status).toBe(403);
    expect((await ask('GET /profile', reader)).status).toBe(403);
    const check = 'POST /teams/main/pipelines/app/resources/git.app/check';
    expect([(await ask(check, personal)).status, (await ask(check, reader)).status]).toEqual([404, 403]);
  });

  test('never have more than their owner has now', async () => {
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

  const refused: Record<string, [wanted: object, status: number]> = {
    'a role above the own': [{ name: 'x', ...scope('admin') }, 403],
    'a team that one is not in': [{ name: 'x', ...scope('read', 'absent') }, 403],
    'a personal token with a role': [{ name: 'x', personal: true, role: 'admin' }, 400],
    'a token of a team without a role': [{ name: 'x', personal: false, team_canonical: 'main' }, 400],
    'no name': [{ name: ' ', personal: true }, 400],
    'an end in the past': [{ name: 'x', personal: true, expires_at: '2020-01-01T00:00:00Z' }, 400],
    'an end that is no time': [{ name: 'x', personal: true, expires_at: 'soon' }, 400],
  };
  test.each(Object.entries(refused))('%s is refused', async (_name, [wanted, status]) => {
    expect((await ask('POST /api-tokens', ann, wanted)).status).toBe(status);
  });

  test('a global admin gets none for a team that there is not', async () => {
    expect((await ask('POST /api-tokens', root, { name: 'x', ...scope('read', 'absent') })).status).toBe(404);
  });

  test('a name twice is refused, also at the same moment', async () => {
    const both = await Promise.all(
      [1, 2].map(async () => await ask('POST /api-tokens', ann, { name: 'ci', personal: true })),
    );
    expect(both.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
  });

  test('that have expired open nothing and stay in the list', async () => {
    const expires_at = new Date(now.getTime() + 60_000).toISOString();
    const token = await gateway.token(ann, { name: 'short', personal: true, expires_at });
    expect((await ask('GET /profile', token)).status).toBe(200);
    now = new Date(now.getTime() + 60_000);
    expect((await ask('GET /profile', token)).status).toBe(401);
    const list = await ask<{ data: object[] }>('GET /api-tokens', ann);
    expect(list.body.data).toMatchObject([{ name: 'short', expires_at, last_used_at: expect.any(String) }]);
  });

  test('are written down as used once a minute at most', async () => {
    const token = await gateway.token(ann, { name: 'ci', personal: true });
    const start = now;
    const used = async (): Promise<string | undefined> => {
      await ask('GET /profile', token);
      const list = await ask<{ data: { last_used_at?: string }[] }>('GET /api-tokens', ann);
      return list.body.data[0]?.last_used_at;
    };
    expect(await used()).toBe(start.toISOString());
    now = new Date(start.getTime() + 30_000);
    expect(await used()).toBe(start.toISOString());
    now = new Date(start.getTime() + 61_000);
    expect(await used()).toBe(now.toISOString());
  });

  test('manage no tokens, and are not taken from a query or a cookie', async () => {
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

  test('are deleted by their owner, and go with the account', async () => {
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

  test('stop while their owner must change the password', async () => {
    const token = await gateway.token(ann, { name: 'ci', personal: true });
    await ask('PUT /users/ann', root, { password: 'from an admin', keep_tokens: true });
    expect(kind((await ask('GET /profile', token)).body)).toBe('password-change-required');
  });
});

async function history(): Promise<string> {
  await ask('POST /users', root, { username: 'ann', password: 'for the first day' });
  await ask('POST /teams/main/members', root, { username: 'ann', role: 'read' });
  await ask('PUT /teams/main/members/ann', root, { role: 'admin' });
  await ask('PUT /teams/main/members/ann', root, { role: 'admin' });
  await gateway.ask('POST /auth/login', { body: { username: 'ann', password: 'wrong password' } });
  await ask('POST /api-tokens', root, { name: 'ci', personal: true });
  await gateway.account('bob', { teams: { main: 'read' } });
  return await gateway.session('bob');
}

describe('the audit log', () => {
  interface Page {
    data: { id: number; actor: string; action: string; target: string; team?: string; details: object }[];
    has_more: boolean;
  }
  const actions = async (query: string, as = root): Promise<string[]> =>
    (await ask<Page>(`GET ${query}`, as)).body.data.map(
      ({ actor, action, target }) => `${actor} ${action} ${target}`,
    );

  test('tells everything to a global admin, newest first', async () => {
    await history();
    expect(await actions('/admin/audit')).toEqual([
      'bob user.signed_in bob',
      'root token.created ci',
      'ann user.sign_in_failed ann',
      'root member.role_changed ann',
      'root member.added ann',
      'root user.created ann',
      'root user.signed_in root',
    ]);
  });

  test('tells a team what is of the team', async () => {
    const bob = await history();
    const { body } = await ask<Page>('GET /teams/main/audit', bob);
    expect(body.data).toMatchObject([
      {
        team: 'main',
        action: 'member.role_changed',
        target: 'ann',
        details: { old_role: 'read', new_role: 'admin' },
      },
      { team: 'main', action: 'member.added', target: 'ann', details: { role: 'read' } },
    ]);
    expect(await actions('/teams/web/audit')).toEqual([]);
  });

  test('is filtered: OR inside of one filter, AND between them', async () => {
    await history();
    expect(await actions('/admin/audit?action=member.added&action=user.created')).toHaveLength(2);
    expect(await actions('/admin/audit?action=user.signed_in&user=bob')).toEqual(['bob user.signed_in bob']);
    expect(await actions('/admin/audit?exclude_user=root')).toEqual([
      'bob user.signed_in bob',
      'ann user.sign_in_failed ann',
    ]);
    expect(await actions('/admin/audit?exclude_action=user.signed_in&exclude_user=root')).toEqual([
      'ann user.sign_in_failed ann',
    ]);
    const later = new Date(now.getTime() + 1).toISOString();
    expect(await actions(`/admin/audit?since=${later}`)).toEqual([]);
    expect(await actions(`/admin/audit?until=${later}`)).toHaveLength(7);
    expect((await ask('GET /admin/audit?since=yesterday', root)).status).toBe(400);
  });

  test('is filtered by pipeline, whose jobs and resources count with it', async () => {
    const entry = { team: 'main', actor: 'ann', action: 'job.triggered', targetType: 'job', at: now };
    for (const target of ['app/unit', 'app', 'apple/unit', 'app%/x'])
      await stores.access.audit.record({ ...entry, target });
    expect(await actions('/teams/main/audit?pipeline=app')).toEqual([
      'ann job.triggered app',
      'ann job.triggered app/unit',
    ]);
  });

  test('comes in pages, forwards and back', async () => {
    await history();
    const first = (await ask<Page>('GET /admin/audit?limit=3', root)).body;
    const second = (await ask<Page>(`GET /admin/audit?limit=3&before=${first.data.at(-1)?.id}`, root)).body;
    expect([first.has_more, second.data.length, second.has_more]).toEqual([true, 3, true]);
    const back = (await ask<Page>(`GET /admin/audit?limit=3&after=${second.data[0]?.id}`, root)).body;
    expect(back.data).toEqual(first.data);
  });

  test('outlives what it speaks of', async () => {
    await history();
    await gateway.account('two', { teams: { main: 'admin' } });
    await ask('DELETE /users/ann', root);
    expect(await actions('/admin/audit?user=root&limit=1')).toEqual(['root user.deleted ann']);
    expect(await actions('/teams/main/audit')).toHaveLength(2);
  });
});

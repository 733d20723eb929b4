import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { rows } from '#adapters/database/connection/pool.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import { changeAccount, changeRole, removeAccount, removeMember } from '#flows/people/manage-accounts.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { RUNS } from '#testing/scheduling/runs.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* Accounts and members, over HTTP and a real Postgres. */
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
const problemKind = ({ type }: Problem): string => type.split('/').at(-1) ?? '';
const ask = async <T = Problem>(route: string, as: string, body?: unknown) =>
  await gateway.ask<T>(route, { as, ...(body === undefined ? {} : { body }) });

describe('accounts', () => {
  test('are created, read, updated and deleted by a global admin', async () => {
    const created = await ask<{ data: object }>('POST /users', root, {
      username: 'ann',
      full_name: 'Ann A',
      password: 'for the first day',
    });
    expect(created.status).toBe(201);
    expect(created.body.data).toMatchObject({
      username: 'ann',
      full_name: 'Ann A',
      global_admin: false,
      has_password: true,
      must_change_password: true,
      teams: {},
    });
    expect(created.text).not.toContain('hash');
    expect(problemKind((await ask('POST /users', root, { username: 'ann' })).body)).toBe('already-exists');
    const changed = await ask<{ data: object }>('PUT /users/ann', root, {
      full_name: 'Ann B',
      global_admin: true,
    });
    expect(changed.body.data).toMatchObject({ full_name: 'Ann B', global_admin: true });
    expect((await ask('DELETE /users/ann', root)).status).toBe(204);
    expect((await ask('GET /users/ann', root)).status).toBe(404);
    expect((await ask('DELETE /users/ann', root)).status).toBe(404);
  });

  test('are listed in pages', async () => {
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

  test('need a valid name', async () => {
    for (const username of ['Ann', 'an/n', '../x', 'a b', '']) {
      expect([username, (await ask('POST /users', root, { username })).status]).toEqual([username, 400]);
    }
  });

  test('keep the last global admin, and the last admin of each team', async () => {
    expect(problemKind((await ask('PUT /users/root', root, { global_admin: false })).body)).toBe(
      'last-admin',
    );
    expect(problemKind((await ask('DELETE /users/root', root)).body)).toBe('last-admin');
    await gateway.account('ann', { teams: { main: 'admin', web: 'admin' } });
    await gateway.account('bob', { teams: { web: 'admin' } });
    const refused = await ask('DELETE /users/ann', root);
    expect([refused.status, problemKind(refused.body)]).toEqual([409, 'last-admin']);
    expect(refused.body.detail).toContain('last admin of main:');
    await gateway.account('two', { globalAdmin: true });
    expect((await ask('PUT /users/root', root, { global_admin: false })).status).toBe(200);
    expect((await ask('GET /users', root)).status).toBe(403);
  });

  test('cannot sign in while they are disabled', async () => {
    await gateway.account('ann', { password: 'a long phrase', teams: { main: 'admin' } });
    const ann = await gateway.session('ann');
    const token = await gateway.token(ann, { name: 'x', personal: true });
    const signIn = async () =>
      await gateway.ask('POST /auth/login', { body: { username: 'ann', password: 'a long phrase' } });
    const last = await ask('PUT /users/ann', root, { disabled: true });
    expect([last.status, problemKind(last.body)]).toEqual([409, 'last-admin']);
    await gateway.account('bob', { teams: { main: 'admin' } });
    const disabled = await ask<{ data: object }>('PUT /users/ann', root, { disabled: true });
    expect([disabled.status, disabled.body.data]).toMatchObject([200, { disabled: true }]);
    expect([await ask('GET /profile', ann), await ask('GET /profile', token), await signIn()]).toMatchObject([
      { status: 401 },
      { status: 401 },
      { status: 401 },
    ]);
    // A disabled account does not count as an admin of its team.
    expect(problemKind((await ask('DELETE /teams/main/members/bob', root)).body)).toBe('last-admin');
    expect((await ask('PUT /users/ann', root, { disabled: false })).status).toBe(200);
    expect((await signIn()).status).toBe(200);
    expect((await ask('GET /profile', token)).status).toBe(200);
    expect((await ask('GET /profile', ann)).status).toBe(401);
    expect(problemKind((await ask('PUT /users/root', root, { disabled: true })).body)).toBe('last-admin');
  });

  test('that demote each other at the same moment leave one global admin', async () => {
    await gateway.account('two', { globalAdmin: true });
    const two = await gateway.session('two');
    const responses = await Promise.all([
      ask('PUT /users/two', root, { global_admin: false }),
      ask('PUT /users/root', two, { global_admin: false }),
    ]);
    expect(responses.map(({ status }) => status).filter((status) => status === 200)).toHaveLength(1);
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
    expect(problemKind((await ask('POST /teams/main/members', ann, { username: 'bob' })).body)).toBe(
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

  test('see only their own teams, while a global admin sees all teams', async () => {
    await gateway.account('ann', { teams: { web: 'read' } });
    const teamsOfAnn = await ask<{ data: object[] }>('GET /teams', await gateway.session('ann'));
    const common = { pipelines: 0, groups: [], debug: false, managed_by: 'manifest' };
    const web = { ...common, name: 'web', display_name: 'Web', members: 1, by_manifest: ['display_name'] };
    expect(teamsOfAnn.body.data).toEqual([{ ...web, role: 'read' }]);
    const allTeams = await ask<{ data: object[] }>('GET /teams', root);
    expect(allTeams.body.data).toEqual([{ ...common, name: 'main', members: 0, by_manifest: [] }, web]);
  });

  test('always include an admin', async () => {
    await gateway.account('ann', { teams: { main: 'admin' } });
    const ann = await gateway.session('ann');
    expect(problemKind((await ask('PUT /teams/main/members/ann', ann, { role: 'write' })).body)).toBe(
      'last-admin',
    );
    expect(problemKind((await ask('DELETE /teams/main/members/ann', root)).body)).toBe('last-admin');
  });

  test('from a manifest cannot be changed over the API', async () => {
    await gateway.account('ann', { teams: { main: 'read' } });
    await stores.pool.query(rows()`UPDATE teams SET members_by_manifest = true`);
    for (const [route, body] of [
      ['POST /teams/main/members', { username: 'root', role: 'read' }],
      ['PUT /teams/main/members/ann', { role: 'write' }],
      ['DELETE /teams/main/members/ann', undefined],
    ] as const) {
      const refused = await ask(route, root, body);
      expect([route, refused.status, problemKind(refused.body)]).toEqual([route, 409, 'managed-by-manifest']);
    }
  });

  test('of a removed team are not members of a new team with the same name', async () => {
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

  test('always leave an admin in the team and the installation, whatever changes happen at once', async () => {
    const names = ['a', 'b', 'c'];
    const role = fc.constantFrom<Role>(...ROLES);
    const anyChange = fc.oneof(
      fc.record({ kind: fc.constant('role' as const), username: fc.constantFrom(...names), role }),
      fc.record({ kind: fc.constant('remove' as const), username: fc.constantFrom(...names) }),
      fc.record({ kind: fc.constant('delete' as const), username: fc.constantFrom(...names) }),
      fc.record({ kind: fc.constant('demote' as const), username: fc.constantFrom(...names) }),
    );
    const act = { by: 'test', at: now };
    const { accounts, members } = stores.access;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyChange, { minLength: 1, maxLength: 4 }), { maxLength: 8 }),
        async (rounds) => {
          await stores.pool.query(rows()`DELETE FROM users`);
          for (const name of names)
            await gateway.account(name, { globalAdmin: true, teams: { main: 'admin' } });
          for (const round of rounds) {
            await Promise.all(
              round.map(async (change) => {
                const { kind, username } = change;
                const member = { team: 'main', username };
                if (kind === 'role') return await changeRole({ ...member, role: change.role }, act, members);
                if (kind === 'remove') return await removeMember(member, act, members);
                if (kind === 'delete') return await removeAccount(username, act, { accounts });
                const ports = { accounts, passwords: gateway.ports.passwords };
                return await changeAccount(username, { globalAdmin: false }, act, ports);
              }),
            );
          }
          const remaining = await stores.pool.one(rows<{ admins: number; roots: number }>()`
          SELECT (SELECT count(*) FROM team_members WHERE role = 'admin') AS admins,
            (SELECT count(*) FROM users WHERE global_admin) AS roots`);
          expect(remaining.admins).toBeGreaterThan(0);
          expect(remaining.roots).toBeGreaterThan(0);
        },
      ),
      { numRuns: Math.ceil(RUNS / 25) },
    );
  });
});

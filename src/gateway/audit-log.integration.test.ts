import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/* The audit log, over HTTP and a real Postgres. */
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
const ask = async <T = Problem>(route: string, as: string, body?: unknown) =>
  await gateway.ask<T>(route, { as, ...(body === undefined ? {} : { body }) });

/** Makes entries of several kinds. Returns a session of bob, who may read the audit log of team main. */
async function makeEntries(): Promise<string> {
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

  test('shows a global admin every entry, newest first', async () => {
    await makeEntries();
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

  test('shows a team the entries about that team', async () => {
    const bob = await makeEntries();
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

  test('combines values of one filter with OR and filters with AND', async () => {
    await makeEntries();
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

  test('includes jobs and resources of a pipeline when filtered by the pipeline', async () => {
    const entry = { team: 'main', actor: 'ann', action: 'job.triggered', targetType: 'job', at: now };
    for (const target of ['app/unit', 'app', 'apple/unit', 'app%/x'])
      await stores.access.audit.record({ ...entry, target });
    expect(await actions('/teams/main/audit?pipeline=app')).toEqual([
      'ann job.triggered app',
      'ann job.triggered app/unit',
    ]);
  });

  test('has pages that can be followed forwards and back', async () => {
    await makeEntries();
    const first = (await ask<Page>('GET /admin/audit?limit=3', root)).body;
    const second = (await ask<Page>(`GET /admin/audit?limit=3&before=${first.data.at(-1)?.id}`, root)).body;
    expect([first.has_more, second.data.length, second.has_more]).toEqual([true, 3, true]);
    const back = (await ask<Page>(`GET /admin/audit?limit=3&after=${second.data[0]?.id}`, root)).body;
    expect(back.data).toEqual(first.data);
  });

  test('keeps the entries about an account after the account was deleted', async () => {
    await makeEntries();
    await gateway.account('two', { teams: { main: 'admin' } });
    await ask('DELETE /users/ann', root);
    expect(await actions('/admin/audit?user=root&limit=1')).toEqual(['root user.deleted ann']);
    expect(await actions('/teams/main/audit')).toHaveLength(2);
  });
});

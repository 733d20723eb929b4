import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import {
  eventually,
  startTestInstallation,
  type TestInstallation,
} from '#testing/together/operator-and-gateway.ts';

/*
 * Teams managed by Team objects and through the API at once, with a real API server, the chart's policies and
 * a running operator.
 */
let installation: TestInstallation;
let root: string;
let count = 0;
/** Each test has its own team, because namespaces stay. */
let team: string;

beforeAll(async () => {
  installation = await startTestInstallation({ sessionSeconds: 0 });
}, 600_000);
beforeEach(async () => {
  await installation.stores.empty();
  await installation.gateway.account('root', { globalAdmin: true, password: 'a long password' });
  root = await installation.gateway.session('root');
  count += 1;
  team = `team-${count}`;
});
afterAll(async () => await installation.close(), 600_000);

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
}
const ask = async <T = Body>(request: string, body?: unknown, as = root) =>
  await installation.gateway.ask<T>(request, { as, ...(body !== undefined && { body }) });
const problemOf = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const statusOf = async () =>
  orThrow(await installation.client.get(KINDS.teams, { name: team }), 'reading').status;
const readyOf = async (reason: string) =>
  await eventually(
    async () => (await statusOf())?.conditions?.find(({ type }) => type === 'Ready'),
    (ready) => ready?.reason === reason,
  );
const groupsIgnored = async () =>
  (await statusOf())?.conditions?.find(({ type }) => type === 'GroupsIgnored');
const applyTeam = async (spec: object) =>
  await installation.apply(KINDS.teams, { metadata: { name: team }, spec });
const rolesByUser = async () => {
  const answer = await ask<{ data: { username: string; role: string; group_role?: string }[] }>(
    `GET /teams/${team}/members`,
  );
  return Object.fromEntries(answer.body.data.map(({ username, role }) => [username, role]));
};

describe('a team of the API', () => {
  test('is created as a Team object with a namespace, and its creator becomes its admin', async () => {
    const made = await ask('POST /teams', { name: team, display_name: 'The Team' });
    expect([made.status, made.body.data]).toMatchObject([
      201,
      { name: team, display_name: 'The Team', managed_by: 'api', by_manifest: [], members: 1, pipelines: 0 },
    ]);
    expect(await rolesByUser()).toEqual({ root: 'admin' });
    const object = orThrow(await installation.client.get(KINDS.teams, { name: team }), 'reading');
    expect([object.spec, object.metadata.labels]).toEqual([{}, { 'millrace.dev/managed-by': 'api' }]);
    expect((await installation.client.get(KINDS.namespaces, { name: team })).ok).toBe(true);
    expect(problemOf((await ask('POST /teams', { name: team })).body)).toBe('already-exists');
    await eventually(statusOf, (status) => status?.displayName === 'The Team');
  });

  test('is not created if its namespace belongs to somebody else, and the answer says why', async () => {
    const namespace: object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } };
    orThrow(await installation.client.create<object>(KINDS.namespaces, namespace), 'making');
    const refused = await ask('POST /teams', { name: team });
    expect([refused.status, problemOf(refused.body), refused.body.detail]).toEqual([
      409,
      'refused',
      expect.stringContaining(team),
    ]);
    await eventually(
      async () => (await installation.client.get(KINDS.teams, { name: team })).ok,
      (exists) => !exists,
    );
    for (const name of ['kube-x', 'default', 'Upper', 'a.b'])
      expect([name, (await ask('POST /teams', { name })).status]).toEqual([name, 400]);
  });

  test('is deleted only when it is empty', async () => {
    await ask('POST /teams', { name: team });
    await installation.apply(KINDS.pipelines, {
      metadata: { namespace: team, name: 'app' },
      spec: { config: 'job "a" {\n  task "b" {\n    run "shell" {\n      cmd = "true"\n    }\n  }\n}' },
    });
    await eventually(
      async () => (await ask(`GET /teams/${team}`)).body.data['pipelines'],
      (pipelines) => pipelines === 1,
    );
    const refused = await ask(`DELETE /teams/${team}`);
    expect([refused.status, refused.body.detail]).toEqual([
      409,
      'One pipeline is left in the team. Delete it first.',
    ]);
    orThrow(await installation.client.delete(KINDS.pipelines, { namespace: team, name: 'app' }), 'deleting');
    await eventually(
      async () => (await ask(`GET /teams/${team}`)).body.data['pipelines'],
      (pipelines) => pipelines === 0,
    );
    await eventually(
      async () => (await ask(`DELETE /teams/${team}`)).status,
      (status) => status === 204,
    );
    expect((await ask(`GET /teams/${team}`)).status).toBe(404);
  });
});

describe('a team of a manifest', () => {
  test('lets the API set the fields that its object omits, and shows them in its status', async () => {
    await applyTeam({});
    await readyOf('NamespaceReady');
    await installation.gateway.account('ann');
    expect((await ask(`PUT /teams/${team}`, { display_name: 'Here' })).status).toBe(200);
    expect((await ask(`POST /teams/${team}/members`, { username: 'ann', role: 'admin' })).status).toBe(201);
    const groups = [{ claim: 'builders', role: 'write' }];
    expect((await ask(`PUT /teams/${team}`, { groups })).body.data).toMatchObject({ groups });
    const status = await eventually(statusOf, (now) => now?.groups?.length === 1 && now.memberCount === 1);
    expect(status).toMatchObject({ displayName: 'Here', members: [{ user: 'ann', role: 'admin' }], groups });
    expect(problemOf((await ask(`DELETE /teams/${team}`)).body)).toBe('managed-by-manifest');
  });

  test('cannot be changed through the API in the fields that its object sets', async () => {
    await installation.gateway.account('ann');
    await applyTeam({
      displayName: 'Said',
      members: [{ user: 'ann', role: 'admin' }],
      groups: [{ claim: 'ops', role: 'admin' }],
    });
    await readyOf('NamespaceReady');
    expect((await ask(`GET /teams/${team}`)).body.data).toMatchObject({
      display_name: 'Said',
      by_manifest: ['display_name', 'members', 'groups'],
      groups: [{ claim: 'ops', role: 'admin' }],
    });
    for (const [request, body] of [
      [`PUT /teams/${team}`, { display_name: 'Other' }],
      [`PUT /teams/${team}`, { groups: [] }],
      [`POST /teams/${team}/members`, { username: 'root', role: 'read' }],
      [`DELETE /teams/${team}/members/ann`, undefined],
    ] as const) {
      const refused = await ask(request, body);
      expect([request, refused.status, problemOf(refused.body)]).toEqual([
        request,
        409,
        'managed-by-manifest',
      ]);
    }
    // A field removed from the object keeps its last value, and the API may change it.
    await applyTeam({ podSecurity: 'baseline' });
    await eventually(
      async () => (await ask(`GET /teams/${team}`)).body.data['by_manifest'],
      (fields) => JSON.stringify(fields) === '[]',
    );
    expect(await rolesByUser()).toEqual({ ann: 'admin' });
    expect((await ask(`PUT /teams/${team}`, { groups: [] })).status).toBe(200);
  });

  test('cannot remove its last admin: a condition reports it, and the old members stay', async () => {
    await installation.gateway.account('ann');
    await installation.gateway.account('bob');
    await applyTeam({ members: [{ user: 'ann', role: 'admin' }] });
    await readyOf('NamespaceReady');
    await applyTeam({
      members: [
        { user: 'ann', role: 'write' },
        { user: 'bob', role: 'read' },
      ],
    });
    const ready = await readyOf('LastAdmin');
    expect(ready).toMatchObject({ status: 'False', message: expect.stringContaining('without an admin') });
    expect(await rolesByUser()).toEqual({ ann: 'admin' });
    await applyTeam({ members: [{ user: 'bob', role: 'admin' }] });
    await readyOf('NamespaceReady');
    expect(await rolesByUser()).toEqual({ bob: 'admin' });
  });

  test('may name people before they have an account, which only an admin can create', async () => {
    await applyTeam({
      members: [
        { user: 'eve', role: 'admin' },
        { user: 'root', role: 'admin' },
      ],
    });
    await readyOf('NamespaceReady');
    const { oauth } = installation.stores.access;
    const at = new Date();
    const provider = {
      canonical: 'one',
      type: 'OIDC',
      clientId: 'x',
      issuerUrl: 'https://id.example.org',
      enabled: true,
    } as const;
    await saveProvider({ ...provider, secretKey: 'x' }, { by: 'test', at }, oauth);
    const waiting = {
      provider: 'one',
      issuer: 'https://id.example.org',
      subject: 's',
      browserHash: 'b',
      groups: [],
    };
    await oauth.saveProfile('t', waiting, new Date(at.getTime() + 60_000));
    const profile = { tokenHash: 't', browserHash: 'b', username: 'eve', fullName: '' };
    expect(await oauth.completeProfile(profile, at)).toBe('taken');
    expect((await ask('POST /users', { username: 'eve' })).body.data).toMatchObject({
      teams: { [team]: 'admin' },
    });
    expect((await ask('DELETE /users/eve')).status).toBe(204);
    expect(await rolesByUser()).toEqual({ root: 'admin' });
    expect((await ask('POST /users', { username: 'eve' })).body.data).toMatchObject({
      teams: { [team]: 'admin' },
    });
  });
});

describe('groups of an identity provider', () => {
  const identity = { issuer: 'https://id.example.org', subject: 'ann-1' };
  const provider = {
    canonical: 'company',
    type: 'OIDC',
    clientId: 'x',
    issuerUrl: 'https://id.example.org',
    groupsClaim: 'groups',
    enabled: true,
    secretKey: 'x',
  } as const;
  const reportGroups = async (groups: string[]) =>
    await installation.stores.access.oauth.saveGroups(identity, groups, new Date());
  const saveCompanyProvider = async (more: object) =>
    await saveProvider(
      { ...provider, ...more },
      { by: 'test', at: new Date() },
      installation.stores.access.oauth,
    );

  test('grant roles in addition to those of members, and revoke them again', async () => {
    await applyTeam({
      groups: [
        { claim: 'ops', role: 'admin' },
        { claim: 'all', role: 'read' },
      ],
    });
    await readyOf('NamespaceReady');
    await saveCompanyProvider({});
    const id = await installation.gateway.account('ann', {
      password: 'a long password',
      teams: { [team]: 'write' },
    });
    const ann = await installation.gateway.session('ann');
    const [session] = await installation.stores.access.sessions.sessions(id, {
      at: new Date(),
      idleSeconds: 0,
    });
    await installation.stores.access.oauth.link(
      { userId: id, sessionId: session?.id ?? '' },
      { ...identity, provider: 'company', groups: ['all', 'other'] },
      new Date(),
    );
    const roleOf = async () =>
      (await ask<{ data: { role: string }[] }>('GET /teams', undefined, ann)).body.data[0]?.role;
    expect(await roleOf()).toBe('write');
    await reportGroups(['ops']);
    expect(await roleOf()).toBe('admin');
    expect(await rolesByUser()).toEqual({ ann: 'admin' });
    expect((await ask(`POST /teams/${team}/members`, { username: 'root' }, ann)).status).toBe(201);
    await reportGroups([]);
    expect(await roleOf()).toBe('write');
    await reportGroups(['ops']);
    await saveCompanyProvider({ groupsClaim: undefined });
    expect(await roleOf()).toBe('write');
    await saveCompanyProvider({});
    expect(await roleOf()).toBe('admin');
    await saveCompanyProvider({ enabled: false });
    expect(await roleOf()).toBe('write');
    await saveCompanyProvider({});
    await installation.stores.pool.query(rows()`DELETE FROM team_members WHERE user_id = ${id}`);
    expect(await rolesByUser()).toMatchObject({ ann: 'admin' });
    const gone = await ask(`DELETE /teams/${team}/members/ann`);
    expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining('not a member')]);
  });

  test('grant no role to people of another provider with a group of the same name', async () => {
    await applyTeam({ groups: [{ claim: 'ops', role: 'admin' }] });
    await readyOf('NamespaceReady');
    await saveCompanyProvider({});
    const link = async (username: string, { canonical, issuer }: { canonical: string; issuer: string }) => {
      const id = await installation.gateway.account(username, { password: 'a long password' });
      const token = await installation.gateway.session(username);
      const [session] = await installation.stores.access.sessions.sessions(id, {
        at: new Date(),
        idleSeconds: 0,
      });
      await installation.stores.access.oauth.link(
        { userId: id, sessionId: session?.id ?? '' },
        { issuer, subject: username, provider: canonical, groups: ['ops'] },
        new Date(),
      );
      return async () =>
        (await ask<{ data: { role: string }[] }>('GET /teams', undefined, token)).body.data[0]?.role;
    };
    const roleOfAnn = await link('ann', { canonical: 'company', issuer: 'https://id.example.org' });
    expect(await roleOfAnn()).toBe('admin');
    // A provider where people create groups themselves.
    await saveCompanyProvider({ canonical: 'forge', issuerUrl: 'https://forge.example.com' });
    const roleOfMallory = await link('mallory', { canonical: 'forge', issuer: 'https://forge.example.com' });
    expect([await roleOfAnn(), await roleOfMallory()]).toEqual([undefined, undefined]);
    const warning = await eventually(groupsIgnored, (one) => one !== undefined);
    expect(warning).toMatchObject({
      reason: 'ProviderRequired',
      message: expect.stringContaining(
        'Groups ops give no role: 2 providers report groups (company, forge).',
      ),
    });
    await applyTeam({ groups: [{ claim: 'ops', provider: 'company', role: 'admin' }] });
    await eventually(groupsIgnored, (one) => one === undefined);
    expect([await roleOfAnn(), await roleOfMallory()]).toEqual(['admin', undefined]);
    expect((await ask(`GET /teams/${team}`)).body.data).toMatchObject({
      groups: [{ claim: 'ops', provider: 'company', role: 'admin' }],
    });
  });

  test('are refused by the API if several providers report groups and none, or a missing one, is named', async () => {
    await applyTeam({});
    await readyOf('NamespaceReady');
    await saveCompanyProvider({});
    await saveCompanyProvider({ canonical: 'forge', issuerUrl: 'https://forge.example.com' });
    for (const [group, detail] of [
      [{ claim: 'ops', role: 'read' }, 'Name the provider of each group'],
      [
        { claim: 'ops', provider: 'none', role: 'read' },
        'is named none. Those that report groups: company, forge.',
      ],
    ] as const) {
      const refused = await ask(`PUT /teams/${team}`, { groups: [group] });
      expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(detail)]);
    }
    const groups = [{ claim: 'ops', provider: 'forge', role: 'read' }];
    expect((await ask(`PUT /teams/${team}`, { groups })).body.data).toMatchObject({ groups });
  });
});

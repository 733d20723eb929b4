import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import { orThrow } from '#adapters/kubernetes/api/answer.ts';
import { KINDS } from '#adapters/kubernetes/api/kinds.ts';
import { saveProvider } from '#flows/people/save-provider.ts';
import { eventually, openHouse, type House } from '#testing/together/house-under-test.ts';

/*
 * Team objects and the API as two doors, over a real API server with the chart's policies, beside the
 * operator.
 */
let house: House;
let root: string;
let count = 0;
/** Each test has a team of its own: namespaces stay. */
let team: string;

beforeAll(async () => {
  house = await openHouse({ sessionSeconds: 0 });
}, 600_000);
beforeEach(async () => {
  await house.stores.empty();
  await house.gateway.account('root', { globalAdmin: true, password: 'a long password' });
  root = await house.gateway.session('root');
  count += 1;
  team = `team-${count}`;
});
afterAll(async () => await house.close(), 600_000);

interface Body {
  data: Record<string, unknown>;
  type: string;
  detail: string;
}
const ask = async <T = Body>(what: string, body?: unknown, as = root) =>
  await house.gateway.ask<T>(what, { as, ...(body !== undefined && { body }) });
const kind = ({ type }: Body): string => type.split('/').at(-1) ?? '';
const statusOf = async () => orThrow(await house.client.get(KINDS.teams, { name: team }), 'reading').status;
const readyOf = async (reason: string) =>
  await eventually(
    async () => (await statusOf())?.conditions?.find(({ type }) => type === 'Ready'),
    (ready) => ready?.reason === reason,
  );
const ignored = async () => (await statusOf())?.conditions?.find(({ type }) => type === 'GroupsIgnored');
const apply = async (spec: object) => await house.apply(KINDS.teams, { metadata: { name: team }, spec });
const roles = async () => {
  const answer = await ask<{ data: { username: string; role: string; group_role?: string }[] }>(
    `GET /teams/${team}/members`,
  );
  return Object.fromEntries(answer.body.data.map(({ username, role }) => [username, role]));
};

describe('a team that the API makes', () => {
  test('is a Team object with a namespace, and whoever asked is its admin', async () => {
    const made = await ask('POST /teams', { name: team, display_name: 'The Team' });
    expect([made.status, made.body.data]).toMatchObject([
      201,
      { name: team, display_name: 'The Team', managed_by: 'api', by_manifest: [], members: 1, pipelines: 0 },
    ]);
    expect(await roles()).toEqual({ root: 'admin' });
    const object = orThrow(await house.client.get(KINDS.teams, { name: team }), 'reading');
    expect([object.spec, object.metadata.labels]).toEqual([{}, { 'millrace.dev/managed-by': 'api' }]);
    expect((await house.client.get(KINDS.namespaces, { name: team })).ok).toBe(true);
    expect(kind((await ask('POST /teams', { name: team })).body)).toBe('already-exists');
    await eventually(statusOf, (status) => status?.displayName === 'The Team');
  });

  test('is not made where its namespace is somebody else’s, and the answer says why', async () => {
    const namespace: object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: team } };
    orThrow(await house.client.create<object>(KINDS.namespaces, namespace), 'making');
    const refused = await ask('POST /teams', { name: team });
    expect([refused.status, kind(refused.body), refused.body.detail]).toEqual([
      409,
      'refused',
      expect.stringContaining(team),
    ]);
    await eventually(
      async () => (await house.client.get(KINDS.teams, { name: team })).ok,
      (there) => !there,
    );
    for (const name of ['kube-x', 'default', 'Upper', 'a.b'])
      expect([name, (await ask('POST /teams', { name })).status]).toEqual([name, 400]);
  });

  test('goes when it is empty, and not before', async () => {
    await ask('POST /teams', { name: team });
    await house.apply(KINDS.pipelines, {
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
      'One pipeline is left in the team: delete them first.',
    ]);
    orThrow(await house.client.delete(KINDS.pipelines, { namespace: team, name: 'app' }), 'deleting');
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
  test('leaves to the API what it does not say, and mirrors it', async () => {
    await apply({});
    await readyOf('NamespaceReady');
    await house.gateway.account('ann');
    expect((await ask(`PUT /teams/${team}`, { display_name: 'Here' })).status).toBe(200);
    expect((await ask(`POST /teams/${team}/members`, { username: 'ann', role: 'admin' })).status).toBe(201);
    const groups = [{ claim: 'builders', role: 'write' }];
    expect((await ask(`PUT /teams/${team}`, { groups })).body.data).toMatchObject({ groups });
    const status = await eventually(statusOf, (now) => now?.groups?.length === 1 && now.memberCount === 1);
    expect(status).toMatchObject({ displayName: 'Here', members: [{ user: 'ann', role: 'admin' }], groups });
    expect(kind((await ask(`DELETE /teams/${team}`)).body)).toBe('managed-by-manifest');
  });

  test('wins where it says something: the API answers 409', async () => {
    await house.gateway.account('ann');
    await apply({
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
    for (const [what, body] of [
      [`PUT /teams/${team}`, { display_name: 'Other' }],
      [`PUT /teams/${team}`, { groups: [] }],
      [`POST /teams/${team}/members`, { username: 'root', role: 'read' }],
      [`DELETE /teams/${team}/members/ann`, undefined],
    ] as const) {
      const refused = await ask(what, body);
      expect([what, refused.status, kind(refused.body)]).toEqual([what, 409, 'managed-by-manifest']);
    }
    // What it says no more stays, and is the API's from then on.
    await apply({ podSecurity: 'baseline' });
    await eventually(
      async () => (await ask(`GET /teams/${team}`)).body.data['by_manifest'],
      (said) => JSON.stringify(said) === '[]',
    );
    expect(await roles()).toEqual({ ann: 'admin' });
    expect((await ask(`PUT /teams/${team}`, { groups: [] })).status).toBe(200);
  });

  test('takes no admin away that is the last: a condition says so, and what was before goes on', async () => {
    await house.gateway.account('ann');
    await house.gateway.account('bob');
    await apply({ members: [{ user: 'ann', role: 'admin' }] });
    await readyOf('NamespaceReady');
    await apply({
      members: [
        { user: 'ann', role: 'write' },
        { user: 'bob', role: 'read' },
      ],
    });
    const ready = await readyOf('LastAdmin');
    expect(ready).toMatchObject({ status: 'False', message: expect.stringContaining('without an admin') });
    expect(await roles()).toEqual({ ann: 'admin' });
    await apply({ members: [{ user: 'bob', role: 'admin' }] });
    await readyOf('NamespaceReady');
    expect(await roles()).toEqual({ bob: 'admin' });
  });

  test('names people before they have an account: it is an admin’s to make, and nobody takes the name', async () => {
    await apply({
      members: [
        { user: 'eve', role: 'admin' },
        { user: 'root', role: 'admin' },
      ],
    });
    await readyOf('NamespaceReady');
    const { oauth } = house.stores.access;
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
    expect(await roles()).toEqual({ root: 'admin' });
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
  const say = async (groups: string[]) =>
    await house.stores.access.oauth.saveGroups(identity, groups, new Date());
  const save = async (more: object) =>
    await saveProvider({ ...provider, ...more }, { by: 'test', at: new Date() }, house.stores.access.oauth);

  test('give roles beside those of members, and take them away again', async () => {
    await apply({
      groups: [
        { claim: 'ops', role: 'admin' },
        { claim: 'all', role: 'read' },
      ],
    });
    await readyOf('NamespaceReady');
    await save({});
    const id = await house.gateway.account('ann', {
      password: 'a long password',
      teams: { [team]: 'write' },
    });
    const ann = await house.gateway.session('ann');
    const [session] = await house.stores.access.sessions.sessions(id, { at: new Date(), idleSeconds: 0 });
    await house.stores.access.oauth.link(
      { userId: id, sessionId: session?.id ?? '' },
      { ...identity, provider: 'company', groups: ['all', 'other'] },
      new Date(),
    );
    const roleOf = async () =>
      (await ask<{ data: { role: string }[] }>('GET /teams', undefined, ann)).body.data[0]?.role;
    expect(await roleOf()).toBe('write');
    await say(['ops']);
    expect(await roleOf()).toBe('admin');
    expect(await roles()).toEqual({ ann: 'admin' });
    expect((await ask(`POST /teams/${team}/members`, { username: 'root' }, ann)).status).toBe(201);
    await say([]);
    expect(await roleOf()).toBe('write');
    await say(['ops']);
    await save({ groupsClaim: undefined });
    expect(await roleOf()).toBe('write');
    await save({});
    expect(await roleOf()).toBe('admin');
    await save({ enabled: false });
    expect(await roleOf()).toBe('write');
    await save({});
    await house.stores.pool.query(rows()`DELETE FROM team_members WHERE user_id = ${id}`);
    expect(await roles()).toMatchObject({ ann: 'admin' });
    const gone = await ask(`DELETE /teams/${team}/members/ann`);
    expect([gone.status, gone.body.detail]).toEqual([404, expect.stringContaining('not a member')]);
  });

  test('of another provider that tells groups, too, give nobody the role of the same name', async () => {
    await apply({ groups: [{ claim: 'ops', role: 'admin' }] });
    await readyOf('NamespaceReady');
    await save({});
    const link = async (username: string, { canonical, issuer }: { canonical: string; issuer: string }) => {
      const id = await house.gateway.account(username, { password: 'a long password' });
      const token = await house.gateway.session(username);
      const [session] = await house.stores.access.sessions.sessions(id, { at: new Date(), idleSeconds: 0 });
      await house.stores.access.oauth.link(
        { userId: id, sessionId: session?.id ?? '' },
        { issuer, subject: username, provider: canonical, groups: ['ops'] },
        new Date(),
      );
      return async () =>
        (await ask<{ data: { role: string }[] }>('GET /teams', undefined, token)).body.data[0]?.role;
    };
    const ours = await link('ann', { canonical: 'company', issuer: 'https://id.example.org' });
    expect(await ours()).toBe('admin');
    // Where people make groups of their own.
    await save({ canonical: 'forge', issuerUrl: 'https://forge.example.com' });
    const theirs = await link('mallory', { canonical: 'forge', issuer: 'https://forge.example.com' });
    expect([await ours(), await theirs()]).toEqual([undefined, undefined]);
    const warning = await eventually(ignored, (one) => one !== undefined);
    expect(warning).toMatchObject({
      reason: 'ProviderRequired',
      message: expect.stringContaining(
        'Groups ops give no role: 2 providers report groups (company, forge).',
      ),
    });
    await apply({ groups: [{ claim: 'ops', provider: 'company', role: 'admin' }] });
    await eventually(ignored, (one) => one === undefined);
    expect([await ours(), await theirs()]).toEqual(['admin', undefined]);
    expect((await ask(`GET /teams/${team}`)).body.data).toMatchObject({
      groups: [{ claim: 'ops', provider: 'company', role: 'admin' }],
    });
  });

  test('are refused by the API without a provider where several tell groups, and of one that is not there', async () => {
    await apply({});
    await readyOf('NamespaceReady');
    await save({});
    await save({ canonical: 'forge', issuerUrl: 'https://forge.example.com' });
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

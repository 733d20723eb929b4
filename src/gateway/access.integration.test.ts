import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AccessLevel } from '#domain/access/decide-access.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { registeredRoutes } from '#testing/http/registered-routes.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';

/*
 * Sends every kind of credential with every role in two teams to every route, over HTTP and a real Postgres.
 * The expected answers come from `expectedRefusal` below, which shares no code with the implementation.
 */
type Kind = 'none' | 'wrong' | 'session' | 'personal' | 'team-token' | 'installation';
/** Someone who sends requests with one credential. */
interface Caller {
  description: string;
  kind: Kind;
  /** The role in team main. Absent: the caller is not a member of it. */
  role?: Role;
  globalAdmin?: boolean;
  token(): Promise<string | undefined>;
}

const ROUTES = (await registeredRoutes()).map(
  ({ method, url, rules }) => [`${method} ${url}`, rules] as const,
);

let stores: TestStores;
let gateway: Gateway;
let folder: string;
const callers: Caller[] = [];
/**
 * The body of every request. Its team and user must have no effect. `keep_tokens` keeps the tokens that later
 * requests need.
 */
const BODY_WITH_OTHER_TEAM = { team: 'other', user: 'root', keep_tokens: true };

beforeAll(async () => {
  stores = await openStores();
  folder = mkdtempSync(join(tmpdir(), 'millrace-access-'));
  const installation = Object.fromEntries([
    ...ROLES.map((role) => [hashOf(`file-${role}`), { user: `script-${role}`, team: 'main', role }]),
    [hashOf('file-root'), { user: 'script', team: '*', role: 'admin' }],
  ]);
  writeFileSync(join(folder, 'tokens.json'), JSON.stringify(installation));
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  await stores.teams.saveTeam({ name: 'other', namespace: 'other' });
  gateway = await openGateway(stores, { tokensFile: join(folder, 'tokens.json') });
  await makeCallers();
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
  rmSync(folder, { recursive: true, force: true });
});

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

async function makeCallers(): Promise<void> {
  callers.push({ description: 'nobody', kind: 'none', token: async () => undefined });
  callers.push({
    description: 'a token of nobody',
    kind: 'wrong',
    token: async () => `tok_${'0'.repeat(64)}`,
  });
  callers.push({ description: 'nonsense', kind: 'wrong', token: async () => 'nonsense' });
  callers.push({
    description: 'a session of nobody',
    kind: 'wrong',
    token: async () => 'eyJhbGciOiJub25lIn0.e30.',
  });
  await gateway.account('root', { globalAdmin: true });
  const rootToken = await gateway.token(await gateway.session('root'), { name: 'all', personal: true });
  callers.push({
    description: 'a global admin',
    kind: 'session',
    globalAdmin: true,
    token: async () => await gateway.session('root'),
  });
  callers.push({
    description: "a global admin's token",
    kind: 'personal',
    globalAdmin: true,
    token: async () => rootToken,
  });
  callers.push({
    description: "the installation's admin token",
    kind: 'installation',
    globalAdmin: true,
    token: async () => 'file-root',
  });
  for (const role of ROLES) {
    const name = `${role}-of-main`;
    await gateway.account(name, { teams: { main: role } });
    await gateway.account(`${role}-of-other`, { teams: { other: role } });
    const personal = await gateway.token(await gateway.session(name), { name: 'all', personal: true });
    const scope = { personal: false, team_canonical: 'main', role };
    const scoped = await gateway.token(await gateway.session(name), { name: 'some', ...scope });
    const rootScoped = await gateway.token(await gateway.session('root'), { name: `for-${role}`, ...scope });
    callers.push({
      description: name,
      kind: 'session',
      role,
      token: async () => await gateway.session(name),
    });
    callers.push({
      description: `${role}-of-other`,
      kind: 'session',
      token: async () => await gateway.session(`${role}-of-other`),
    });
    callers.push({
      description: `${name}'s personal token`,
      kind: 'personal',
      role,
      token: async () => personal,
    });
    callers.push({
      description: `${name}'s token for main`,
      kind: 'team-token',
      role,
      token: async () => scoped,
    });
    callers.push({
      description: `a global admin's token for main as ${role}`,
      kind: 'team-token',
      role,
      token: async () => rootScoped,
    });
    callers.push({
      description: `the installation's token as ${role}`,
      kind: 'installation',
      role,
      token: async () => `file-${role}`,
    });
  }
}

/**
 * The status with which the gateway must refuse the caller, or undefined if the caller may call the route.
 */
function expectedRefusal(
  needs: AccessLevel,
  { kind, role, globalAdmin = false }: Caller,
): 401 | 403 | undefined {
  if (needs === 'nothing') return undefined;
  // An anonymous caller gets the same answer whether the object exists or not.
  if (needs === 'public') return kind === 'wrong' ? 401 : undefined;
  if (kind === 'none' || kind === 'wrong') return 401;
  const isAllowed = {
    user: kind === 'session' || kind === 'personal',
    session: kind === 'session',
    'global-admin': globalAdmin && kind !== 'team-token',
    ...Object.fromEntries(
      ROLES.map((needed) => [
        needed,
        globalAdmin || (role !== undefined && ROLES.indexOf(role) >= ROLES.indexOf(needed)),
      ]),
    ),
  };
  return new Map<string, boolean>(Object.entries(isAllowed)).get(needs) === true ? undefined : 403;
}

/**
 * Fills the placeholders of a URL with names that do not exist, so that authorized requests change nothing.
 */
const fillWithAbsent = (url: string): string =>
  url
    .replace(':team', 'main')
    .replace(/:(?:pipeline|job|username|session|token|canonical)/g, 'absent')
    .replace(/:(?:build|id|version|version_id)/g, '999999')
    .replace(':resource', 'git.absent');

describe('the access of each credential and role to each route', () => {
  test('is tested for exactly the routes that the server registers', () => {
    const names = gateway.routes.map(({ method, url }) => `${method} ${url}`);
    expect(names.toSorted()).toEqual(ROUTES.map(([name]) => name).toSorted());
  });

  test.each(ROUTES)(
    '%s refuses exactly the callers without the role that it needs',
    async (name, { needs }) => {
      const [method = '', url = ''] = name.split(' ');
      const wrongAnswers: string[] = [];
      for (const caller of callers) {
        const body = method === 'GET' || method === 'DELETE' ? {} : { body: BODY_WITH_OTHER_TEAM };
        const answer = await gateway.ask<{ type?: string }>(`${method} ${fillWithAbsent(url)}`, {
          as: await caller.token(),
          onlyStatus: url === '/overview/events',
          ...body,
        });
        const refused = answer.status === 401 || answer.status === 403 ? answer.status : undefined;
        if (refused !== expectedRefusal(needs, caller) || answer.status >= 500)
          wrongAnswers.push(`${caller.description}: ${answer.status} ${answer.text}`);
      }
      expect(wrongAnswers).toEqual([]);
      expect(callers.length).toBe(31);
    },
  );

  test('a role in one team gives no access to another team', async () => {
    const routes = ROUTES.filter(([name]) => name.includes('/:team'));
    expect(routes.length).toBeGreaterThan(15);
    for (const [name, { needs }] of routes) {
      const [method = '', url = ''] = name.split(' ');
      for (const as of [await gateway.session('admin-of-main'), 'file-admin']) {
        const answer = await gateway.ask(`${method} ${fillWithAbsent(url.replace(':team', 'other'))}`, {
          as,
        });
        expect([name, answer.status]).toEqual([name, needs === 'public' ? 404 : 403]);
      }
    }
  });
});

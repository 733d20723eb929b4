import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import * as fc from 'fast-check';
import { rows } from '#adapters/database/connection/pool.ts';
import { ROLES, type Role } from '#domain/access/roles.ts';
import { InMemoryProviders } from '#testing/kubernetes/in-memory-providers.ts';
import { LOCKOUTS } from '#testing/scheduling/runs.ts';
import { openStores, type TestStores } from '#testing/stores/stores.ts';
import { applyOAuthProvider, removeOAuthProvider } from './apply-oauth-provider.ts';
import { deleteProvider, updateProvider, type WantedProvider } from './change-oauth-provider.ts';
import { changeAccount, changeRole, removeAccount, removeMember } from './manage-accounts.ts';
import type { StoredProvider } from './oauth-ports.ts';
import { saveProvider } from './save-provider.ts';
import { saveTeam } from './save-team.ts';
import { setLocalSignIn, unlink } from './sign-in-methods.ts';

/*
 * People change accounts, teams and providers through the API and by manifests, in any order and at the same
 * time. Everyone who could sign in still can, and the team and the installation each keep an admin.
 * `LOCKOUTS=20000` tests more sequences.
 */
jest.setTimeout(600_000 + LOCKOUTS * 1000);

let stores: TestStores;
let objects: InMemoryProviders;
const at = new Date();
const act = { by: 'test', at };
const NAMES = ['ann', 'bob', 'eve'] as const;
const PROVIDERS = ['one', 'two'] as const;

beforeAll(async () => {
  stores = await openStores();
});
afterAll(async () => await stores.close());

const who = fc.constantFrom(...NAMES);
const provider = fc.constantFrom(...PROVIDERS);
const role = fc.constantFrom<Role>(...ROLES);
const flag = fc.boolean();
function definition(canonical: string, elsewhere = false): StoredProvider {
  const issuerUrl = `https://${elsewhere ? 'elsewhere' : canonical}.example.org`;
  return { canonical, type: 'OIDC', clientId: 'x', issuerUrl, enabled: true, secretKey: 'x' };
}

async function idOf(username: string): Promise<number | undefined> {
  return (await stores.access.accounts.account(username))?.id;
}

async function signInNow(username: string): Promise<string> {
  const account = await stores.access.accounts.credentials(username);
  const id = randomUUID();
  if (account === undefined) return id;
  const session = { id, userId: account.id, username, tokenGen: account.tokenGen, openedAt: at };
  await stores.access.sessions.openSession({ ...session, address: '', client: '', action: 'x' });
  return id;
}

async function link(username: string, canonical: string): Promise<void> {
  const userId = await idOf(username);
  const linkedProvider = (await stores.access.oauth.providers()).find(
    (stored) => stored.canonical === canonical,
  );
  if (userId === undefined || linkedProvider === undefined) return;
  const identity = {
    issuer: linkedProvider.issuerUrl ?? '',
    subject: `${username}@${canonical}`,
    provider: canonical,
  };
  const [session] = await stores.access.sessions.sessions(userId, { at, idleSeconds: 0 });
  const begun = { userId, sessionId: session?.id ?? (await signInNow(username)) };
  // Another change may delete the account at the same time: then nobody can be linked.
  await stores.access.oauth.link(begun, { ...identity, groups: [] }, at).catch(() => undefined);
}

/** A change that a person makes. Its name and input make a failing sequence readable. */
interface Change {
  kind: string;
  input: unknown;
  run: () => Promise<unknown>;
}

function change<T>(
  kind: string,
  inputs: fc.Arbitrary<T>,
  run: (input: T) => Promise<unknown>,
): fc.Arbitrary<Change> {
  return inputs.map((input) => ({ kind, input, run: async () => await run(input) }));
}

const ports = () => ({ objects, oauth: stores.access.oauth, now: () => at });
const passwords = { hash: async (text: string) => text, isCommon: () => false };
const accountPorts = () => ({ accounts: stores.access.accounts, passwords });
const members = fc.uniqueArray(fc.record({ user: who, role }), {
  selector: ({ user }) => user,
  maxLength: 3,
});

const CHANGES = fc.oneof(
  change('api-provider', fc.record({ provider, enabled: flag }), async ({ provider: name, enabled }) => {
    const update = { change: (known: WantedProvider) => ({ ...known, enabled }), secret: undefined };
    return await updateProvider(name, update, act, ports());
  }),
  change('api-provider-gone', provider, async (name) => await deleteProvider(name, act, ports())),
  change(
    'manifest-provider',
    fc.record({ provider, enabled: flag, elsewhere: flag }),
    async ({ provider: name, enabled, elsewhere }) =>
      await applyOAuthProvider({ ...definition(name, elsewhere), enabled }, ports()),
  ),
  change('manifest-provider-gone', provider, async (name) => await removeOAuthProvider(name, ports())),
  change('local', flag, async (on) => await setLocalSignIn(on, act, stores.access.oauth)),
  change('link', fc.record({ who, provider }), async (linked) => await link(linked.who, linked.provider)),
  change('unlink', fc.record({ who, provider }), async (linked) => {
    const userId = (await idOf(linked.who)) ?? 0;
    return await unlink({ userId, provider: linked.provider }, act, stores.access.oauth);
  }),
  change(
    'account',
    fc.record({ who, disabled: flag, globalAdmin: flag }),
    async ({ who: name, ...fields }) => await changeAccount(name, fields, act, accountPorts()),
  ),
  change('account-gone', who, async (name) => await removeAccount(name, act, accountPorts())),
  change('role', fc.record({ who, role }), async (member) => {
    const changed = { team: 'main', username: member.who, role: member.role };
    return await changeRole(changed, act, stores.access.members);
  }),
  change(
    'leave',
    who,
    async (username) => await removeMember({ team: 'main', username }, act, stores.access.members),
  ),
  change('manifest-team', fc.option(members, { nil: undefined }), async (named) => {
    const team = { name: 'main', namespace: 'main', ...(named !== undefined && { members: named }) };
    return await saveTeam(team, at, stores.teams);
  }),
);

/** Creates accounts that can all sign in: by password where `local` is true, otherwise by a provider. */
async function begin(local: boolean[]): Promise<void> {
  await stores.empty();
  await setLocalSignIn(true, act, stores.access.oauth);
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  objects = new InMemoryProviders();
  for (const canonical of PROVIDERS) {
    const created = await objects.create({ ...definition(canonical), byApi: true });
    if (created.answer === 'done') await saveProvider(created.value.provider, act, stores.access.oauth);
  }
  for (const [index, username] of NAMES.entries()) {
    await stores.pool.query(rows()`
      INSERT INTO users (username, global_admin, password_hash)
      VALUES (${username}, true, ${local[index] === true ? 'hash' : null})`);
    if (local[index] !== true) await link(username, PROVIDERS[index % 2] ?? 'one');
    await changeRole({ team: 'main', username, role: 'admin' }, act, stores.access.members);
  }
}

/** Who is locked out, and how many admins are left. Reads with its own SQL, not with the code under test. */
async function readHarm(): Promise<{ lockedOut: string[]; admins: number; globalAdmins: number }> {
  return await stores.pool.one(rows<{ lockedOut: string[]; admins: number; globalAdmins: number }>()`
    SELECT ARRAY(
        SELECT u.username FROM users u
        WHERE NOT (u.password_hash IS NOT NULL AND (SELECT local FROM auth_settings)) AND NOT EXISTS (
          SELECT 1 FROM oauth_identities i JOIN oauth_providers p ON p.canonical = i.provider
          WHERE i.user_id = u.id AND p.enabled AND p.issuer = i.issuer)) AS "lockedOut",
      (SELECT count(*) FROM team_members m JOIN users u ON u.id = m.user_id WHERE m.role = 'admin'
      AND NOT u.disabled) AS admins,
      (SELECT count(*) FROM users WHERE global_admin AND NOT disabled) AS "globalAdmins"`);
}

test('no sequence of API calls and manifest changes leaves a team or the installation without an admin', async () => {
  const counts: Record<string, number> = {};
  await fc.assert(
    fc.asyncProperty(
      fc.array(flag, { minLength: 3, maxLength: 3 }),
      fc.array(fc.array(CHANGES, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 8 }),
      async (local, rounds) => {
        await begin(local);
        for (const round of rounds) {
          const answers = await Promise.all(round.map(async ({ run }) => await run()));
          for (const [index, { kind }] of round.entries()) {
            const outcome = JSON.stringify(answers[index] ?? 'done').includes('"done"') ? 'done' : 'refused';
            counts[`${kind} ${outcome}`] = (counts[`${kind} ${outcome}`] ?? 0) + 1;
          }
          const { lockedOut, admins, globalAdmins } = await readHarm();
          expect(lockedOut).toEqual([]);
          expect(admins).toBeGreaterThan(0);
          expect(globalAdmins).toBeGreaterThan(0);
        }
      },
    ),
    { numRuns: LOCKOUTS },
  );
  // Each kind of change that may be refused was refused at least once, and done at least once.
  for (const kind of ['api-provider', 'unlink', 'account', 'account-gone', 'role', 'leave']) {
    const [succeeded, refused] = [counts[`${kind} done`] ?? 0, counts[`${kind} refused`] ?? 0];
    expect([kind, succeeded > 0, refused > 0]).toEqual([kind, true, true]);
  }
});

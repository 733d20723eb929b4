import { describe, expect, test } from '@jest/globals';
import { refuseAccess, type AccessLevel, type CredentialKind, type Identity } from './decide-access.ts';
import { ROLES, type Role } from './roles.ts';

const member = (role: Role, more: Partial<Identity> = {}): Identity => ({
  user: 'ann',
  globalAdmin: false,
  teams: new Map([['main', role]]),
  ...more,
});
const route = (needs: AccessLevel, team?: string, beforePasswordChange = false) => ({
  needs,
  team,
  beforePasswordChange,
});
const CREDENTIALS: CredentialKind[] = ['session', 'personal-token', 'team-token', 'installation'];

describe('a role in the team of the path', () => {
  test.each(ROLES.flatMap((held) => ROLES.map((needed) => ({ held, needed }))))(
    '$held gives access if and only if it includes the required role $needed',
    ({ held, needed }) => {
      const enough = ROLES.indexOf(held) >= ROLES.indexOf(needed);
      expect(refuseAccess(route(needed, 'main'), member(held)) === undefined).toBe(enough);
      expect(refuseAccess(route(needed, 'other'), member(held))?.reason).toBe('forbidden');
      expect(refuseAccess(route(needed), member('admin'))?.message).toBe('Nobody may use this path.');
    },
  );

  test('is not needed by a global admin, who can access every team', () => {
    const root = { ...member('read'), globalAdmin: true };
    expect(refuseAccess(route('admin', 'any'), root)).toBeUndefined();
  });
});

describe('a route outside of teams', () => {
  const rows: [AccessLevel, CredentialKind[]][] = [
    ['nothing', CREDENTIALS],
    ['user', ['session', 'personal-token']],
    ['session', ['session']],
    ['global-admin', ['session', 'personal-token', 'installation']],
  ];
  test.each(rows)('that needs %s is open to a global admin with the credentials %j', (needs, allowed) => {
    const accepted = CREDENTIALS.filter(
      (credential) =>
        refuseAccess(route(needs), member('read', { globalAdmin: true, credential })) === undefined,
    );
    expect(accepted).toEqual(allowed);
  });

  test('for global admins refuses the admin of a team', () => {
    const refusal = refuseAccess(route('global-admin', 'main'), member('admin', { credential: 'session' }));
    expect(refusal).toMatchObject({ reason: 'forbidden', needs: 'global-admin' });
  });
});

test('a person who must change their password can access only the routes for that', () => {
  const seeded = member('admin', { credential: 'session', globalAdmin: true, mustChangePassword: true });
  expect(refuseAccess(route('read', 'main'), seeded)?.reason).toBe('password-change-required');
  expect(refuseAccess(route('session', undefined, true), seeded)).toBeUndefined();
  expect(
    refuseAccess(route('session', undefined, true), { ...seeded, credential: 'team-token' })?.reason,
  ).toBe('forbidden');
});

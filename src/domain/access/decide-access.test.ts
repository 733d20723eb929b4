import { describe, expect, test } from '@jest/globals';
import { refuseAccess, type AccessLevel, type CredentialKind, type Identity } from './decide-access.ts';
import { ROLES, type Role } from './roles.ts';

const member = (role: Role, more: Partial<Identity> = {}): Identity => ({
  user: 'ann',
  globalAdmin: false,
  teams: new Map([['main', role]]),
  ...more,
});
const asked = (needs: AccessLevel, team?: string, beforePasswordChange = false) => ({
  needs,
  team,
  beforePasswordChange,
});
const CREDENTIALS: CredentialKind[] = ['session', 'personal-token', 'team-token', 'installation'];

describe('a role counts in the team of the path', () => {
  test.each(ROLES.flatMap((held) => ROLES.map((needed) => ({ held, needed }))))(
    '$held where $needed is needed',
    ({ held, needed }) => {
      const enough = ROLES.indexOf(held) >= ROLES.indexOf(needed);
      expect(refuseAccess(asked(needed, 'main'), member(held)) === undefined).toBe(enough);
      expect(refuseAccess(asked(needed, 'other'), member(held))?.reason).toBe('forbidden');
      expect(refuseAccess(asked(needed), member('admin'))?.message).toBe('Nobody may use this path.');
    },
  );

  test('a global admin reaches every team', () => {
    const root = { ...member('read'), globalAdmin: true };
    expect(refuseAccess(asked('admin', 'any'), root)).toBeUndefined();
  });
});

describe('what is not of a team', () => {
  const rows: [AccessLevel, CredentialKind[]][] = [
    ['nothing', CREDENTIALS],
    ['user', ['session', 'personal-token']],
    ['session', ['session']],
    ['global-admin', ['session', 'personal-token', 'installation']],
  ];
  test.each(rows)('%s is open to %j of a global admin', (needs, open) => {
    const may = CREDENTIALS.filter(
      (credential) =>
        refuseAccess(asked(needs), member('read', { globalAdmin: true, credential })) === undefined,
    );
    expect(may).toEqual(open);
  });

  test('global-admin is closed to the admin of a team', () => {
    const refusal = refuseAccess(asked('global-admin', 'main'), member('admin', { credential: 'session' }));
    expect(refusal).toMatchObject({ reason: 'forbidden', needs: 'global-admin' });
  });
});

test('whoever must change their password reaches only what says so', () => {
  const seeded = member('admin', { credential: 'session', globalAdmin: true, mustChangePassword: true });
  expect(refuseAccess(asked('read', 'main'), seeded)?.reason).toBe('password-change-required');
  expect(refuseAccess(asked('session', undefined, true), seeded)).toBeUndefined();
  expect(
    refuseAccess(asked('session', undefined, true), { ...seeded, credential: 'team-token' })?.reason,
  ).toBe('forbidden');
});

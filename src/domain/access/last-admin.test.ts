import { describe, expect, test } from '@jest/globals';
import {
  refuseAccountChange,
  refuseAccountRemoval,
  refuseDemotion,
  refuseMemberChange,
  refuseNewMember,
  type AccountFacts,
  type MemberFacts,
} from './last-admin.ts';
import type { Role } from './roles.ts';

const member = (role: Role | undefined, otherAdmins: number, byManifest = false): MemberFacts => ({
  role,
  otherAdmins,
  byManifest,
});

describe('the last admin of a team', () => {
  const cases: Record<string, [facts: MemberFacts, to: Role | undefined, reason: string | undefined]> = {
    'cannot leave': [member('admin', 0), undefined, 'last-admin'],
    'cannot become less': [member('admin', 0), 'maintain', 'last-admin'],
    'can stay what they are': [member('admin', 0), 'admin', undefined],
    'one of two can leave': [member('admin', 1), undefined, undefined],
    'another member can leave': [member('write', 0), undefined, undefined],
    'another member can become admin': [member('write', 0), 'admin', undefined],
    'who is no member cannot leave': [member(undefined, 1), undefined, 'not-a-member'],
    'nobody changes what a manifest names': [member('write', 3, true), 'admin', 'managed-by-manifest'],
  };
  test.each(Object.entries(cases))('%s', (_name, [known, to, reason]) => {
    expect(refuseMemberChange(known, to)?.reason).toBe(reason);
  });
});

describe('a new member', () => {
  const cases: Record<string, [facts: MemberFacts, role: Role, reason: string | undefined]> = {
    'is taken in': [member(undefined, 0), 'read', undefined],
    'is taken in as the first admin': [member(undefined, 0), 'admin', undefined],
    'is none who is one': [member('read', 1), 'admin', 'already-a-member'],
    'is the business of a manifest that names members': [
      member(undefined, 1, true),
      'read',
      'managed-by-manifest',
    ],
    'is the business of a manifest though they are one': [
      member('read', 1, true),
      'admin',
      'managed-by-manifest',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [known, role, reason]) => {
    expect(refuseNewMember(known, role)?.reason).toBe(reason);
  });

  test('who is one hears with which role', () => {
    expect(refuseNewMember(member('maintain', 1), 'read')?.message).toContain('the role maintain.');
  });
});

describe('an account', () => {
  const LAST: AccountFacts = { globalAdmin: true, otherGlobalAdmins: 0, lastAdminOf: [] };
  const PLAIN: AccountFacts = { globalAdmin: false, otherGlobalAdmins: 1, lastAdminOf: [] };
  type Row = [facts: AccountFacts, removal: string | undefined, demotion: string | undefined];
  const cases: Record<string, Row> = {
    'like any other goes': [PLAIN, undefined, undefined],
    'of the last global admin neither goes nor is made less': [
      LAST,
      'last global admin',
      'last global admin',
    ],
    'of one of two global admins goes': [{ ...LAST, otherGlobalAdmins: 1 }, undefined, undefined],
    'of no global admin goes where there is none': [{ ...PLAIN, otherGlobalAdmins: 0 }, undefined, undefined],
    'of the last admin of teams stays, and they are named': [
      { ...PLAIN, lastAdminOf: ['main', 'web'] },
      'the last admin of main, web:',
      undefined,
    ],
    'of the last global admin hears of that first': [
      { ...LAST, lastAdminOf: ['main'] },
      'last global admin',
      'last global admin',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [facts, removal, demotion]) => {
    const refusals = [refuseAccountRemoval(facts), refuseDemotion(facts)];
    expect(refusals).toEqual(
      [removal, demotion].map((words) =>
        words === undefined ? undefined : { reason: 'last-admin', message: expect.stringContaining(words) },
      ),
    );
  });

  const lastOfTeam = { ...PLAIN, lastAdminOf: ['main'] };
  type Change = { globalAdmin?: boolean; disabled?: boolean };
  const changes: Record<string, [facts: AccountFacts, change: Change, refused: boolean]> = {
    'of the last global admin stays one': [LAST, { globalAdmin: false }, true],
    'of the last global admin stays enabled': [LAST, { disabled: true }, true],
    'of the last global admin gets another name': [LAST, {}, false],
    'of the last global admin is enabled and made one again': [
      LAST,
      { globalAdmin: true, disabled: false },
      false,
    ],
    'of the last admin of a team stays enabled': [lastOfTeam, { disabled: true }, true],
    'of the last admin of a team stops being a global admin': [lastOfTeam, { globalAdmin: false }, false],
  };
  test.each(Object.entries(changes))('%s', (_sentence, [facts, change, refused]) => {
    expect(refuseAccountChange(facts, change) !== undefined).toBe(refused);
  });
});

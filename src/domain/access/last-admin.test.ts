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
    'cannot get a lower role': [member('admin', 0), 'maintain', 'last-admin'],
    'can keep the role': [member('admin', 0), 'admin', undefined],
    'can leave if there is another admin': [member('admin', 1), undefined, undefined],
    'does not stop another member from leaving': [member('write', 0), undefined, undefined],
    'does not stop another member from becoming admin': [member('write', 0), 'admin', undefined],
    'does not matter for the removal of a non-member, which is refused': [
      member(undefined, 1),
      undefined,
      'not-a-member',
    ],
    'does not matter if a manifest sets the members, which refuses any change': [
      member('write', 3, true),
      'admin',
      'managed-by-manifest',
    ],
  };
  test.each(Object.entries(cases))('%s', (_name, [facts, to, reason]) => {
    expect(refuseMemberChange(facts, to)?.reason).toBe(reason);
  });
});

describe('adding a member', () => {
  const cases: Record<string, [facts: MemberFacts, role: Role, reason: string | undefined]> = {
    'is allowed': [member(undefined, 0), 'read', undefined],
    'is allowed as the first admin': [member(undefined, 0), 'admin', undefined],
    'is refused if the person is a member': [member('read', 1), 'admin', 'already-a-member'],
    'is refused if a manifest sets the members': [member(undefined, 1, true), 'read', 'managed-by-manifest'],
    'is refused because of the manifest even if the person is a member': [
      member('read', 1, true),
      'admin',
      'managed-by-manifest',
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [facts, role, reason]) => {
    expect(refuseNewMember(facts, role)?.reason).toBe(reason);
  });

  test('names the present role if the person is a member', () => {
    expect(refuseNewMember(member('maintain', 1), 'read')?.message).toContain(
      'the role maintain. Change that role instead.',
    );
  });
});

describe('deleting or changing an account', () => {
  const LAST: AccountFacts = { globalAdmin: true, otherGlobalAdmins: 0, lastAdminOf: [] };
  const PLAIN: AccountFacts = { globalAdmin: false, otherGlobalAdmins: 1, lastAdminOf: [] };
  type Row = [facts: AccountFacts, removal: string | undefined, demotion: string | undefined];
  const cases: Record<string, Row> = {
    'is allowed for an ordinary account': [PLAIN, undefined, undefined],
    'is refused for the last global admin': [LAST, 'last global admin', 'last global admin'],
    'is allowed for one of two global admins': [{ ...LAST, otherGlobalAdmins: 1 }, undefined, undefined],
    'is allowed for an ordinary account if there is no global admin': [
      { ...PLAIN, otherGlobalAdmins: 0 },
      undefined,
      undefined,
    ],
    'is refused for the last admin of teams, and names the teams': [
      { ...PLAIN, lastAdminOf: ['main', 'web'] },
      'the last admin of main, web:',
      undefined,
    ],
    'is refused for the last global admin before teams are mentioned': [
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
    'cannot remove the role of the last global admin': [LAST, { globalAdmin: false }, true],
    'cannot disable the last global admin': [LAST, { disabled: true }, true],
    'can rename the last global admin': [LAST, {}, false],
    'can enable the last global admin and give the role again': [
      LAST,
      { globalAdmin: true, disabled: false },
      false,
    ],
    'cannot disable the last admin of a team': [lastOfTeam, { disabled: true }, true],
    'can remove the global role of the last admin of a team': [lastOfTeam, { globalAdmin: false }, false],
  };
  test.each(Object.entries(changes))('%s', (_sentence, [facts, change, refused]) => {
    expect(refuseAccountChange(facts, change) !== undefined).toBe(refused);
  });
});

import { describe, expect, test } from '@jest/globals';
import { ignoredGroups, type GroupRole } from './group-roles.ts';

const OPEN: GroupRole = { claim: 'platform-admins', role: 'admin' };
const BOUND: GroupRole = { claim: 'developers', provider: 'company', role: 'write' };

describe('groups give roles', () => {
  const cases: Record<string, [groups: GroupRole[], telling: string[]]> = {
    'where no group is named': [[], ['company', 'gitlab']],
    'without a provider where one tells groups': [[OPEN], ['company']],
    'without a provider where none tells groups yet': [[OPEN], []],
    'of the provider that they name': [[BOUND], ['company', 'gitlab']],
  };
  test.each(Object.entries(cases))('%s', (_, [groups, telling]) => {
    expect(ignoredGroups(groups, telling)).toBeUndefined();
  });
});

describe('groups give no role', () => {
  const cases: Record<string, [groups: GroupRole[], telling: string[], reason: string, message: string]> = {
    'without a provider where several tell groups': [
      [OPEN, BOUND],
      ['company', 'gitlab'],
      'ProviderRequired',
      'Groups platform-admins give no role: 2 providers report groups (company, gitlab). Name the provider of each group (spec.groups[].provider).',
    ],
    'of a provider that is not there, or tells none': [
      [BOUND],
      ['gitlab'],
      'UnknownProvider',
      'Groups developers give no role: no enabled OAuthProvider with groupsClaim is named company. Those that report groups: gitlab.',
    ],
    'of a provider where none tells groups': [
      [BOUND],
      [],
      'UnknownProvider',
      'Groups developers give no role: no enabled OAuthProvider with groupsClaim is named company. Those that report groups: none.',
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [groups, telling, reason, message]) => {
    expect(ignoredGroups(groups, telling)).toEqual({ reason, message });
  });

  test('and of many only the first are named', () => {
    const many = Array.from({ length: 12 }, (_, index): GroupRole => ({ claim: `g${index}`, role: 'read' }));
    expect(ignoredGroups(many, ['a', 'b'])?.message).toContain('g9, and 2 more give no role');
  });
});

import { describe, expect, test } from '@jest/globals';
import { ignoredGroups, type GroupRole } from './group-roles.ts';

const OF_ANY_PROVIDER: GroupRole = { claim: 'platform-admins', role: 'admin' };
const OF_COMPANY: GroupRole = { claim: 'developers', provider: 'company', role: 'write' };

describe('group roles of a team are accepted', () => {
  const cases: Record<string, [groups: GroupRole[], providers: string[]]> = {
    'if no group is named': [[], ['company', 'gitlab']],
    'without a provider name if one provider reports groups': [[OF_ANY_PROVIDER], ['company']],
    'without a provider name if no provider reports groups yet': [[OF_ANY_PROVIDER], []],
    'with the name of a provider that reports groups': [[OF_COMPANY], ['company', 'gitlab']],
  };
  test.each(Object.entries(cases))('%s', (_, [groups, providers]) => {
    expect(ignoredGroups(groups, providers)).toBeUndefined();
  });
});

describe('group roles of a team are refused', () => {
  const cases: Record<string, [groups: GroupRole[], providers: string[], reason: string, message: string]> = {
    'without a provider name if several providers report groups': [
      [OF_ANY_PROVIDER, OF_COMPANY],
      ['company', 'gitlab'],
      'ProviderRequired',
      'Groups platform-admins give no role: 2 providers report groups (company, gitlab). ' +
        'Name the provider of each group (spec.groups[].provider).',
    ],
    'with the name of a provider that does not exist or reports no groups': [
      [OF_COMPANY],
      ['gitlab'],
      'UnknownProvider',
      'Groups developers give no role: no enabled OAuthProvider with groupsClaim is named company. ' +
        'Those that report groups: gitlab.',
    ],
    'with the name of a provider if none reports groups': [
      [OF_COMPANY],
      [],
      'UnknownProvider',
      'Groups developers give no role: no enabled OAuthProvider with groupsClaim is named company. ' +
        'Those that report groups: none.',
    ],
  };
  test.each(Object.entries(cases))('%s', (_, [groups, providers, reason, message]) => {
    expect(ignoredGroups(groups, providers)).toEqual({ reason, message });
  });

  test('with a message that names only the first of many', () => {
    const many = Array.from({ length: 12 }, (_, index): GroupRole => ({ claim: `g${index}`, role: 'read' }));
    expect(ignoredGroups(many, ['a', 'b'])?.message).toContain('g9, and 2 more give no role');
  });
});

import { describe, expect, test } from '@jest/globals';
import { refuseTeamChange } from './refuse-team-change.ts';

describe('a change of a team is', () => {
  const none = { displayName: false, groups: false };
  const group = { claim: 'dev', role: 'write' };
  const cases: Record<string, [Parameters<typeof refuseTeamChange>, refused: string | undefined]> = {
    'made where the manifest sets nothing': [[none, { displayName: 'App', groups: [group] }], undefined],
    'refused for a display name that the manifest sets': [
      [{ ...none, displayName: true }, { displayName: '' }],
      'sets its display name.',
    ],
    'refused for groups that the manifest sets': [
      [{ ...none, groups: true }, { groups: [] }],
      'sets its groups.',
    ],
    'made of the field beside those that the manifest sets': [
      [{ ...none, groups: true }, { displayName: 'App' }],
      undefined,
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [[managed, change], refused]) => {
    const message = refused === undefined ? undefined : expect.stringContaining(refused);
    expect(refuseTeamChange(managed, change)).toEqual(message && { reason: 'managed-by-manifest', message });
  });
});

import { describe, expect, test } from '@jest/globals';
import { refuseTeamChange } from './refuse-team-change.ts';

describe('a change of a team through the API is', () => {
  const none = { displayName: false, groups: false, debug: false };
  const group = { claim: 'dev', role: 'write' };
  const cases: Record<string, [Parameters<typeof refuseTeamChange>, refused: string | undefined]> = {
    'accepted if the manifest sets nothing': [[none, { displayName: 'App', groups: [group] }], undefined],
    'refused for a display name that the manifest sets': [
      [{ ...none, displayName: true }, { displayName: '' }],
      'sets its display name.',
    ],
    'refused for groups that the manifest sets': [
      [{ ...none, groups: true }, { groups: [] }],
      'sets its groups.',
    ],
    'refused for shells if the manifest says whether they are allowed': [
      [{ ...none, debug: true }, { debug: true }],
      'sets its permission for shells.',
    ],
    'accepted for a field that the manifest does not set, beside one that it sets': [
      [{ ...none, groups: true }, { displayName: 'App' }],
      undefined,
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [[managed, change], refused]) => {
    const message = refused === undefined ? undefined : expect.stringContaining(refused);
    expect(refuseTeamChange(managed, change)).toEqual(message && { reason: 'managed-by-manifest', message });
  });
});

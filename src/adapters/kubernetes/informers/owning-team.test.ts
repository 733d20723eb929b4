import { describe, expect, test } from '@jest/globals';
import { owningTeam } from './owning-team.ts';
import type { TeamProjection } from './projections.ts';

interface TeamOptions {
  namespace?: string;
  createdAt?: string;
  stalled?: string;
}

function team(
  name: string,
  { namespace, createdAt = '2026-01-01', stalled }: TeamOptions = {},
): TeamProjection {
  const condition = {
    type: 'Stalled',
    status: 'True' as const,
    reason: stalled ?? '',
    message: '',
    lastTransitionTime: '',
  };
  return {
    namespace: '',
    name,
    uid: name,
    resourceVersion: '1',
    generation: 1,
    finalizers: [],
    createdAt: new Date(createdAt),
    spec: namespace === undefined ? {} : { namespace },
    status: stalled === undefined ? {} : { conditions: [condition] },
  };
}

describe('the owning Team of a namespace', () => {
  const cases: Record<string, [teams: TeamProjection[], owner: string | undefined]> = {
    'is the Team with its name': [[team('blue'), team('red')], 'blue'],
    'is the Team that names it': [[team('red', { namespace: 'blue' })], 'red'],
    'is none if no Team names it': [[team('blue', { namespace: 'green' })], undefined],
    'is the older of two Teams': [
      [team('blue', { createdAt: '2026-02-01' }), team('red', { namespace: 'blue' })],
      'red',
    ],
    'is the younger Team if the older one was refused the namespace': [
      [
        team('blue', { createdAt: '2026-02-01' }),
        team('red', { namespace: 'blue', stalled: 'NamespaceNotOurs' }),
      ],
      'blue',
    ],
    'is the older Team even if something else is wrong with it': [
      [team('blue', { createdAt: '2026-02-01' }), team('red', { namespace: 'blue', stalled: 'LastAdmin' })],
      'red',
    ],
    'is the first by name of two Teams created at the same moment': [
      [team('zeal', { namespace: 'blue' }), team('blue')],
      'blue',
    ],
  };
  test.each(Object.entries(cases))('%s, in whatever order the Teams are seen', (_, [teams, owner]) => {
    expect(owningTeam(teams, 'blue')?.name).toBe(owner);
    expect(owningTeam(teams.toReversed(), 'blue')?.name).toBe(owner);
  });
});

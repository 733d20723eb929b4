import { describe, expect, test } from '@jest/globals';
import { admitPod, type PodAdmission, type PodKind, type TeamPods } from './admit-pod.ts';
import type { PlanContainer } from './plan.ts';

const TEAM: TeamPods = {
  rules: { name: 'blue', workers: [], allowedTags: ['gpu'] },
  limits: { build: 2, check: Infinity },
};

const ON_VOLUME: PlanContainer = {
  name: 'volume-1-fs-in',
  volume: { resource: 'fs.in', path: '/srv/data/in', writes: false },
};

interface Case {
  kind?: PodKind;
  tags?: string[];
  containers?: PlanContainer[];
  running?: number;
  /** The Pods of the team are not listed yet. */
  unlisted?: boolean;
  team?: TeamPods | undefined;
}

const labelOf = (tag: string): string => `tag-${tag}`;

function admit(change: Case): PodAdmission {
  const { kind = 'build', tags = [], containers = [], running: count = 0, unlisted = false } = change;
  const running = (): number | undefined => (unlisted ? undefined : count);
  const pod = { kind, team: 'blue', tags, containers, labelOf, running };
  return admitPod(pod, 'team' in change ? change.team : TEAM);
}

const failIfCounted = (): never => {
  throw new Error('counted');
};

describe('a Pod', () => {
  const CASES: Record<string, [change: Case, expected: object]> = {
    'is admitted within the limit': [{ running: 1 }, { answer: 'admitted', placement: { nodeSelector: {} } }],
    'is admitted with a tag, to the nodes that offer it': [
      { tags: ['gpu'] },
      { answer: 'admitted', placement: { nodeSelector: { 'tag-gpu': 'true' } } },
    ],
    'is admitted without a limit for its kind, however many run': [
      { kind: 'check', running: 1000 },
      { answer: 'admitted' },
    ],
    'is refused above the limit': [
      { running: 2 },
      {
        answer: 'refused',
        reason: 'TeamLimit',
        message: 'Team blue runs 2 of 2 builds that it may run at a time.',
      },
    ],
    'is refused with a limit until the Pods of the team are listed': [
      { unlisted: true },
      {
        answer: 'refused',
        reason: 'TeamLimit',
        message: 'Millrace is still counting the builds of Team blue, which may run 2 at a time.',
      },
    ],
    'is admitted without a limit before the Pods of the team are listed': [
      { kind: 'check', unlisted: true },
      { answer: 'admitted' },
    ],
    'is refused for a tag that the Team does not allow, even above the limit': [
      { tags: ['arm64'], running: 2 },
      { answer: 'refused', reason: 'TagNotAllowed' },
    ],
    'is refused for a path that is on no volume of the Team, even above the limit': [
      { containers: [ON_VOLUME], running: 2 },
      { answer: 'refused', reason: 'VolumeRefused', message: expect.stringContaining('/srv/data') },
    ],
    'is refused for a Team that is not ready': [
      { team: undefined },
      { answer: 'refused', reason: 'Forbidden', message: 'There is no Team blue that is ready.' },
    ],
  };
  test.each(Object.entries(CASES))('%s', (_, [change, expected]) => {
    expect(admit(change)).toMatchObject(expected);
  });

  test('is admitted without counting Pods if there is no limit', () => {
    const pod = {
      kind: 'check',
      team: 'blue',
      tags: [],
      containers: [],
      labelOf,
      running: failIfCounted,
    } as const;
    expect(admitPod(pod, TEAM)).toMatchObject({ answer: 'admitted' });
  });
});

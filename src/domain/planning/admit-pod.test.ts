import { describe, expect, test } from '@jest/globals';
import { admitPod, type PodAdmission, type PodKind, type TeamPods } from './admit-pod.ts';

const TEAM: TeamPods = {
  rules: { name: 'blue', workers: [], allowedTags: ['gpu'] },
  limits: { build: 2, check: Infinity },
};

interface Case {
  kind?: PodKind;
  tags?: string[];
  running?: number;
  team?: TeamPods | undefined;
}

function admit(given: Case): PodAdmission {
  const { kind = 'build', tags = [], running: count = 0 } = given;
  const pod = { kind, team: 'blue', tags, labelOf: (tag: string) => `tag-${tag}`, running: () => count };
  return admitPod(pod, 'team' in given ? given.team : TEAM);
}

const running = (): never => {
  throw new Error('counted');
};

describe('a Pod', () => {
  const CASES: Record<string, [given: Case, expected: object]> = {
    'within the limit is admitted': [{ running: 1 }, { answer: 'admitted', placement: { nodeSelector: {} } }],
    'with a tag runs on the nodes that offer it': [
      { tags: ['gpu'] },
      { answer: 'admitted', placement: { nodeSelector: { 'tag-gpu': 'true' } } },
    ],
    'of a kind without a limit is admitted, however many run': [
      { kind: 'check', running: 1000 },
      { answer: 'admitted' },
    ],
    'beyond the limit is refused': [
      { running: 2 },
      {
        answer: 'refused',
        reason: 'TeamLimit',
        message: 'Team blue runs 2 of 2 builds that it may run at a time.',
      },
    ],
    'with a tag that the Team does not allow is refused for that, also beyond the limit': [
      { tags: ['arm64'], running: 2 },
      { answer: 'refused', reason: 'TagNotAllowed' },
    ],
    'of a Team that is not ready is refused': [
      { team: undefined },
      { answer: 'refused', reason: 'Forbidden', message: 'There is no Team blue that is ready.' },
    ],
  };
  test.each(Object.entries(CASES))('%s', (_, [given, expected]) => {
    expect(admit(given)).toMatchObject(expected);
  });

  test('without a limit is admitted without a count', () => {
    const pod = { kind: 'check', team: 'blue', tags: [], labelOf: (tag: string) => tag, running } as const;
    expect(admitPod(pod, TEAM)).toMatchObject({ answer: 'admitted' });
  });
});

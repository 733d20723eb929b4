import { describe, expect, test } from '@jest/globals';
import { removableVersions, retainBuilds, type OldBuild, type RetainFacts } from './decide-retention.ts';

const DAY = 86_400_000;
const NOW = 100 * DAY;

function build(id: number, daysAgo: number | undefined, more: Partial<OldBuild> = {}): OldBuild {
  return {
    id,
    status: daysAgo === undefined ? 'started' : 'failed',
    inputs: [{ scope: 1, version: id * 10 }],
    outputs: [],
    ...(daysAgo === undefined ? {} : { endedAt: NOW - daysAgo * DAY }),
    ...more,
  };
}

function decide(builds: OldBuild[], more: Partial<RetainFacts> = {}): ReturnType<typeof retainBuilds> {
  return retainBuilds({
    policy: { builds: 2, days: 30 },
    now: NOW,
    builds,
    pinned: new Set(),
    neededDownstream: new Set(),
    ...more,
  });
}

const good = { status: 'succeeded' as const };

describe('old builds', () => {
  test.each<[string, OldBuild[], Partial<RetainFacts>, number[], string[]]>([
    [
      'builds beyond the number to retain are deleted',
      [build(1, 1), build(2, 1), build(3, 1)],
      {},
      [1, 2],
      ['3 limits'],
    ],
    [
      'builds beyond the days to retain are deleted even if they are among the newest',
      [build(3, 31), build(4, 29)],
      {},
      [3],
      ['4 limits'],
    ],
    ['builds stay if no limit is set', [build(1, 99)], { policy: {} }, [], ['1 limits']],

    ['builds that have not ended stay', [build(1, undefined)], {}, [], ['1 active']],
    [
      'the last good build stays, however old',
      [build(1, 99, good), build(2, 99, good)],
      { oldestGoodRetained: 2 },
      [1],
      ['2 good'],
    ],
    [
      'good builds are deleted if the team retains none of them for ever',
      [build(1, 99, good)],
      { policy: { builds: 2, minimumSucceeded: 0 } },
      [1],
      [],
    ],
    ['builds that took a pinned version stay', [build(1, 99)], { pinned: new Set([10]) }, [], ['1 pinned']],
    [
      'builds that made a pinned version stay',
      [build(1, 99, { outputs: [{ scope: 2, version: 77 }] })],
      { pinned: new Set([77]) },
      [],
      ['1 pinned'],
    ],
    [
      'builds that downstream jobs need stay',
      [build(1, 99, good)],
      { oldestGoodRetained: 2, neededDownstream: new Set([1]) },
      [],
      ['1 passed'],
    ],
  ])('%s', (_, builds, more, ...[remove, retained]) => {
    const decision = decide(builds, { oldestRetained: 3, ...more });
    expect(decision.remove).toEqual(remove);
    expect(decision.retained.map(({ build: id, because }) => `${id} ${because}`)).toEqual(retained);
  });

  test('builds stay while there are fewer than the number to retain', () => {
    expect(decide([build(1, 1)]).remove).toEqual([]);
  });

  test('builds that stay beyond the limits lose their logs', () => {
    const decision = decide([build(1, 99), build(2, 1), build(3, 1)], {
      oldestRetained: 3,
      pinned: new Set([10]),
    });
    expect(decision.removeLogs).toEqual([1]);
  });

  test('deleted builds leave a mark that their versions were built', () => {
    const inputs = [
      { scope: 1, version: 5 },
      { scope: 2, version: 8 },
    ];
    const decision = decide([build(1, 99, { inputs }), build(2, 99)], { oldestRetained: 3 });
    expect(decision.baselines).toEqual([
      { scope: 1, version: 20 },
      { scope: 2, version: 8 },
    ]);
  });
});

describe('old versions', () => {
  const version = (id: number, daysAgo: number, inUse = false) => ({
    id,
    foundAt: NOW - daysAgo * DAY,
    inUse,
  });
  const facts = { policy: { days: 30 }, now: NOW, newest: [9] };
  test.each<[string, Parameters<typeof removableVersions>[0], number[]]>([
    [
      'versions that no build has lose their fields',
      { ...facts, versions: [version(1, 31), version(2, 29)] },
      [1],
    ],
    ['versions that a build has stay', { ...facts, versions: [version(1, 31, true)] }, []],
    ['pinned versions stay', { ...facts, versions: [version(1, 31)], pinned: 1 }, []],
    ['the newest version stays', { ...facts, versions: [version(9, 31)] }, []],
    [
      'versions that still need a build stay',
      { ...facts, versions: [version(1, 31), version(2, 31)], lowestBaseline: 1 },
      [1],
    ],
    ['versions stay if no days are set', { ...facts, policy: { builds: 1 }, versions: [version(1, 31)] }, []],
  ])('%s', (_, versionFacts, expected) => {
    expect(removableVersions(versionFacts)).toEqual(expected);
  });
});

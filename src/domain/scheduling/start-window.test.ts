import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { RUNS } from '#testing/scheduling/runs.ts';
import {
  pickStarts,
  startSlots,
  type StartingPod,
  type StartNode,
  type StartWindow,
} from './start-window.ts';

/** Each text is a team, or `team@gpu` if its nodes are those of gpu. A starting Pod `team?` has no node. */
const wantedStarts = (...texts: string[]) =>
  texts.map((text, id) => ({ id, team: text.split('@')[0] ?? '', nodes: text.split('@')[1] ?? '' }));
const startingPods = (...texts: string[]): StartingPod[] =>
  wantedStarts(...texts).map(({ team, nodes }) => ({
    team: team.replace('?', ''),
    nodes,
    state: team.endsWith('?') ? 'unplaced' : 'starting',
    age: 0,
  }));

const twoNodes: StartNode[] = [{ cores: 8 }, { cores: 8 }];
const window = (perNode: number, gpu: StartNode[] = []): StartWindow => ({
  perNode,
  podsOf: () => 1,
  sharing: () => 'alone',
  waitingOf: () => 0,
  all: twoNodes,
  nodesOf: (nodes: string) => (nodes === '' ? twoNodes : gpu),
});
const teams = (work: readonly { team: string }[]): string => work.map(({ team }) => team).join(' ');
const many = (team: string, count: number): string[] => Array.from({ length: count }, () => team);

test.each<[string, StartNode[], perNode: number, slots: number]>([
  ['each node has the same number of slots', twoNodes, 4, 8],
  ['a node has no more slots than cores', [{ cores: 2 }, { cores: 64 }], 4, 6],
  ['a node of half a core has one slot', [{ cores: 0.5 }], 4, 1],
  ['each node has at least one slot', twoNodes, 0.5, 2],
  ['a cluster without nodes has the slots of one node', [], 4, 4],
])('%s', (_, nodes, perNode, slots) => {
  expect(startSlots(nodes, perNode)).toBe(slots);
});

describe('builds that need a Pod', () => {
  test.each<[string, want: string[], have: string[], perNode: number, start: string]>([
    ['all builds start while there are slots', ['a', 'a', 'b'], [], 4, 'a b a'],
    [
      'no more builds start than the window has slots',
      many('a', 20),
      [],
      4,
      teams(wantedStarts(...many('a', 8))),
    ],
    ['teams take turns, no matter which came first', [...many('a', 9), 'b', 'c'], [], 2, 'a b c a'],
    [
      'a team without starting Pods gets a slot while other teams hold all of them',
      ['a', 'b'],
      many('a', 8),
      4,
      'b',
    ],
    ['no build starts beyond twice the window', ['c'], [...many('a', 4), ...many('b', 4)], 2, ''],
    [
      'Pods without a node take no slots, but 20 of them block their team',
      ['a', 'b'],
      [...many('a?', 19), ...many('b?', 20)],
      1,
      'a',
    ],
    ['a full kind of node blocks only its own builds', ['b@gpu', 'b'], many('b@gpu', 4), 4, 'b'],
    ['a kind of node that does not exist yet gets as many Pods as one node', ['a@gpu', 'a@gpu'], [], 1, 'a'],
  ])('%s', (_, want, have, ...[perNode, start]) => {
    const gpu = have.includes('b@gpu') ? [{ cores: 4 }] : [];
    expect(teams(pickStarts(wantedStarts(...want), startingPods(...have), window(perNode, gpu)).start)).toBe(
      start,
    );
  });

  const oneNode: StartNode[] = [{ cores: 2 }];
  const onOneNode: StartWindow = {
    perNode: 4,
    all: oneNode,
    nodesOf: () => oneNode,
    sharing: () => 'alone',
    waitingOf: () => 0,
    podsOf: (team) => ({ big: 8, small: 1 })[team] ?? 0,
  };

  test.each<[string, want: string[], have: StartingPod[], window: StartWindow, start: string]>([
    [
      'a team yields to a starting Pod of a team with fewer Pods',
      ['big'],
      startingPods('small'),
      onOneNode,
      '',
    ],
    [
      'a team that would have just one Pod more yields to nobody',
      ['big'],
      startingPods('small'),
      { ...onOneNode, podsOf: () => 1 },
      'big',
    ],
    [
      'no team yields to a Pod that takes long to start',
      ['big'],
      startingPods('small').map((pod) => ({ ...pod, age: 10 })),
      onOneNode,
      'big',
    ],
    ['a team with fewer Pods does not yield', ['small'], startingPods('big'), onOneNode, 'small'],
    [
      'a Pod of a smaller team takes the slots of one node, not of all nodes',
      many('big', 20),
      startingPods('small'),
      { ...onOneNode, all: twoNodes, nodesOf: () => twoNodes },
      teams(wantedStarts(...many('big', 4))),
    ],
  ])('%s', (_, want, have, ...[startWindow, start]) => {
    expect(teams(pickStarts(wantedStarts(...want), have, startWindow).start)).toBe(start);
  });

  const shared: StartWindow = { ...window(4), sharing: () => 'shared' };
  test.each<[string, want: string[], have: string[], window: StartWindow, start: string]>([
    [
      'a team leaves one slot to others that built lately',
      many('a', 9),
      [],
      shared,
      teams(wantedStarts(...many('a', 7))),
    ],
    ['another team gets the slot that is left', ['a', 'b'], many('a', 7), shared, 'b'],
    [
      'a window of one slot is not divided',
      ['a'],
      [],
      { ...shared, all: oneNode, nodesOf: () => oneNode, perNode: 1 },
      'a',
    ],
  ])('%s', (_, want, have, ...[startWindow, start]) => {
    expect(teams(pickStarts(wantedStarts(...want), startingPods(...have), startWindow).start)).toBe(start);
  });

  const pausing: StartWindow = {
    ...shared,
    all: oneNode,
    nodesOf: () => oneNode,
    sharing: () => 'pausing',
    waitingOf: () => 3,
  };
  test.each<[string, window: StartWindow, want: string[], start: string]>([
    ['a team with one slot of two and many waiting builds pauses after a start', pausing, ['a'], ''],
    ['after the pause, its next build starts', { ...pausing, sharing: () => 'shared' }, ['a'], 'a'],
    ['a team with few waiting builds does not pause', { ...pausing, waitingOf: () => 2 }, ['a'], 'a'],
    [
      'a team with several slots does not pause',
      { ...pausing, all: twoNodes, nodesOf: () => twoNodes },
      ['a'],
      'a',
    ],
    [
      'a team does not pause before a build for a small node if there are others',
      { ...pausing, all: twoNodes },
      ['a@gpu'],
      'a',
    ],
    [
      'a team does not pause before a build for nodes that others may not use',
      { ...pausing, nodesOf: () => twoNodes },
      ['a@gpu'],
      'a',
    ],
    [
      'a team does not pause if two nodes have one slot each',
      { ...pausing, all: twoNodes, nodesOf: () => twoNodes, perNode: 1 },
      ['a'],
      'a',
    ],
  ])('%s', (_, startWindow, want, start) => {
    expect(teams(pickStarts(wantedStarts(...want), [], startWindow).start)).toBe(start);
  });

  test('the reason says that a team pauses', () => {
    const { held } = pickStarts(wantedStarts('a'), [], pausing);
    expect(held.map(({ reason }) => reason)).toEqual([
      {
        code: 'StartWindow',
        message:
          'Other teams have started Pods in the last five minutes, so the team pauses after each start: ' +
          'as long as that start took, at most 2 s.',
      },
    ]);
  });

  test('the reason says that a slot is left to other teams', () => {
    const { held } = pickStarts(wantedStarts('a'), startingPods(...many('a', 7)), shared);
    expect(held.map(({ reason }) => reason)).toEqual([
      {
        code: 'StartWindow',
        message:
          '7 Pods of the team are starting, and one slot is left to other teams, which have started builds ' +
          'in the last minutes. The build starts when one of these Pods runs.',
        data: { have: 7, want: 7 },
      },
    ]);
  });

  test('the reason says that a team yields', () => {
    const { held } = pickStarts(wantedStarts('big'), startingPods('small'), onOneNode);
    expect(held.map(({ reason }) => reason)).toEqual([
      {
        code: 'StartWindow',
        message:
          'A build of a team with fewer Pods is starting. The build starts when that one runs, or 10 s later.',
        data: { have: 1, want: 2 },
      },
    ]);
  });

  test('the reason says how many Pods are starting, and how many may start at a time', () => {
    const { held } = pickStarts(wantedStarts('a'), startingPods(...many('a', 8)), window(4));
    expect(held.map(({ reason }) => reason)).toEqual([
      {
        code: 'StartWindow',
        message:
          '8 Pods are starting on 2 nodes, where 8 may start at a time. The build starts when one of them runs.',
        data: { have: 8, want: 8 },
      },
    ]);
  });

  const drawn = fc.record({
    want: fc.array(fc.constantFrom('a', 'b', 'c', 'evil', 'evil', 'evil'), { maxLength: 60 }),
    have: fc.array(fc.constantFrom('a', 'b', 'evil', 'evil?'), { maxLength: 16 }),
    perNode: fc.double({ min: 0.5, max: 8, noNaN: true }),
  });

  test('at most twice the window starts at a time, and one team alone starts at most the window', () => {
    fc.assert(
      fc.property(drawn, ({ want, have, perNode }) => {
        const slots = startSlots(twoNodes, perNode);
        const before = startingPods(...have).filter(({ state }) => state === 'starting');
        const { start, held } = pickStarts(wantedStarts(...want), startingPods(...have), window(perNode));
        expect(start.length + held.length).toBe(want.length);
        const after = [...before.map(({ team }) => team), ...start.map(({ team }) => team)];
        if (start.length > 0) expect(after.length).toBeLessThanOrEqual(2 * slots);
        if (new Set(after).size === 1 && start.length > 0) expect(after.length).toBeLessThanOrEqual(slots);
      }),
      { numRuns: RUNS },
    );
  });

  test('a team with nothing starting waits only when twice the window is in use', () => {
    fc.assert(
      fc.property(drawn, ({ want, have, perNode }) => {
        const before = startingPods(...have);
        const { start, held } = pickStarts(wantedStarts(...want), before, window(perNode));
        const starting = [...before.filter(({ state }) => state === 'starting'), ...start];
        for (const { work } of held) {
          if (starting.some(({ team }) => team === work.team)) continue;
          const stuck =
            before.filter(({ state, team }) => state === 'unplaced' && team === work.team).length >= 20;
          expect(stuck || starting.length >= 2 * startSlots(twoNodes, perNode)).toBe(true);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

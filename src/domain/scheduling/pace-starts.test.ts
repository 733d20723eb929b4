import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { RUNS } from '#testing/scheduling/runs.ts';
import {
  halvePace,
  INITIAL_PACE,
  INITIAL_STARTS_PER_NODE,
  paceStarts,
  sharingOf,
  slowAfter,
  type ObservedStart,
  type StartPace,
} from './pace-starts.ts';

const STUCK: ObservedStart = {
  team: 'a',
  beganAt: 0,
  seenAt: 60_000,
  running: false,
  ofBuild: true,
  used: 1,
};

/** The pace after starts that followed each other and took these milliseconds. */
function paceAfter(times: number[], { used = 1, pace = INITIAL_PACE, from = 0 } = {}): StartPace {
  let now = from;
  let current = pace;
  for (const ms of times) {
    current = paceStarts(current, {
      team: 'a',
      beganAt: now,
      seenAt: now + ms,
      running: true,
      ofBuild: true,
      used,
    });
    now += ms;
  }
  return current;
}
const quick = (count: number): number[] => Array.from({ length: count }, () => 900);

describe('the window', () => {
  test('the window begins with four Pods a node', () => {
    expect(INITIAL_PACE.perNode).toBe(INITIAL_STARTS_PER_NODE);
  });

  test('the window grows by one Pod a node when a whole window has started quickly', () => {
    expect(Math.floor(paceAfter(quick(5)).perNode)).toBe(5);
    expect(Math.floor(paceAfter(quick(50)).perNode)).toBe(10);
  });

  test('the window does not grow while less than half of it is in use', () => {
    expect(paceAfter(quick(50), { used: 0.4 }).perNode).toBe(INITIAL_STARTS_PER_NODE);
  });

  test('a start that takes much longer than the best recent median halves the window', () => {
    const pace = paceAfter(quick(10));
    expect(paceAfter([20_000], { pace }).perNode).toBe(pace.perNode / 2);
  });

  test('Pods created before the window was halved do not halve it again', () => {
    const before = paceAfter(quick(10));
    const pace = [120_000, 121_000, 122_000].reduce(
      (last, seenAt) =>
        paceStarts(last, { team: 'a', beganAt: 100_000, seenAt, running: true, ofBuild: true, used: 1 }),
      before,
    );
    expect(pace.perNode).toBe(before.perNode / 2);
  });

  test('a Pod that does not progress halves the window', () => {
    expect(paceStarts(INITIAL_PACE, STUCK).perNode).toBe(INITIAL_STARTS_PER_NODE / 2);
  });

  test("one team's Pods that cannot start do not halve the window while those of others start quickly", () => {
    const quickly: ObservedStart = {
      team: 'b',
      beganAt: 50_000,
      seenAt: 51_000,
      running: true,
      ofBuild: true,
      used: 0.1,
    };
    expect(paceStarts(paceStarts(INITIAL_PACE, quickly), STUCK).perNode).toBe(INITIAL_STARTS_PER_NODE);
    expect(paceStarts(paceStarts(INITIAL_PACE, quickly), { ...STUCK, team: 'b' }).perNode).toBe(2);
  });

  test('a Pod that is still starting has no effect yet', () => {
    const young: ObservedStart = {
      team: 'a',
      beganAt: 0,
      seenAt: 1000,
      running: false,
      ofBuild: true,
      used: 1,
    };
    expect(paceStarts(INITIAL_PACE, young)).toBe(INITIAL_PACE);
  });

  test('the window adapts to a cluster where all starts are slow', () => {
    const pace = paceAfter(Array.from({ length: 200 }, () => 15_000));
    expect(slowAfter(pace)).toBe(45_000);
    expect(pace.perNode).toBeGreaterThan(1);
  });

  test('the window stays between one and 32 Pods a node', () => {
    const seen = fc.record({
      team: fc.constantFrom('a', 'b'),
      beganAt: fc.nat(1e6),
      took: fc.nat(200_000),
      running: fc.boolean(),
      ofBuild: fc.boolean(),
      used: fc.double({ min: 0, max: 2, noNaN: true }),
      failed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(seen, { maxLength: 200 }), (observations) => {
        let pace = INITIAL_PACE;
        for (const { took, failed, ...observation } of observations) {
          pace = failed
            ? halvePace(pace, observation.beganAt)
            : paceStarts(pace, { ...observation, seenAt: observation.beganAt + took });
          expect(pace.perNode).toBeGreaterThanOrEqual(1);
          expect(pace.perNode).toBeLessThanOrEqual(32);
        }
      }),
      { numRuns: RUNS },
    );
  });
});

test('a start of one team counts for the other teams for five minutes', () => {
  const start: ObservedStart = {
    team: 'a',
    beganAt: 0,
    seenAt: 1000,
    running: true,
    ofBuild: true,
    used: 0.1,
  };
  const pace = paceStarts(INITIAL_PACE, start);
  expect(sharingOf(pace, 'b', 300_999)).toBe('shared');
  expect(sharingOf(pace, 'b', 301_000)).toBe('alone');
  expect(sharingOf(pace, 'a', 1000)).toBe('alone');
  expect(sharingOf(INITIAL_PACE, 'b', 0)).toBe('alone');
});

const startOf = (team: string, beganAt: number, seenAt: number): ObservedStart => ({
  team,
  beganAt,
  seenAt,
  running: true,
  ofBuild: true,
  used: 0.1,
});

describe('a team that shares the nodes pauses after a start', () => {
  const others = paceStarts(INITIAL_PACE, startOf('b', 0, 1000));

  test('as long as the start took', () => {
    const pace = paceStarts(others, startOf('a', 2000, 2700));
    expect(sharingOf(pace, 'a', 3399)).toBe('pausing');
    expect(sharingOf(pace, 'a', 3400)).toBe('shared');
    expect(sharingOf(pace, 'c', 2700)).toBe('shared');
  });

  test('for at most two seconds', () => {
    const pace = paceStarts(others, startOf('a', 2000, 7000));
    expect(sharingOf(pace, 'a', 8999)).toBe('pausing');
    expect(sharingOf(pace, 'a', 9000)).toBe('shared');
  });

  test('but not because of a Pod that never runs', () => {
    const stuck: ObservedStart = { ...startOf('a', 2000, 60_000), running: false };
    expect(sharingOf(paceStarts(others, stuck), 'a', 60_001)).toBe('shared');
  });

  test('but not because of a check, a hook or a warm Pod', () => {
    const check: ObservedStart = { ...startOf('a', 2000, 2700), ofBuild: false };
    expect(sharingOf(paceStarts(others, check), 'a', 2701)).toBe('shared');
  });

  test('but not if no other team has started Pods lately', () => {
    expect(sharingOf(paceStarts(INITIAL_PACE, startOf('a', 0, 700)), 'a', 701)).toBe('alone');
  });
});

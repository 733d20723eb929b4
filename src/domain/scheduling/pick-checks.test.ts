import { describe, expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { RUNS } from '#testing/scheduling/runs.ts';
import { pickChecks, type OpenCheck } from './pick-checks.ts';

/** Due checks, the oldest first, from names `team/group`. */
const dueChecks = (...names: string[]) =>
  names.map((name, scope) => ({ scope, team: name.split('/')[0] ?? '', group: name }));

/**
 * Open checks from names `team/group`. A `*` at the end marks a run of a CronJob, and `…` a Pod that is
 * starting.
 */
const openChecks = (...names: string[]): OpenCheck[] =>
  names.map((name) => ({
    team: name.split('/')[0] ?? '',
    group: name.replace(/[*…]$/, ''),
    byCronJob: name.endsWith('*'),
    starting: name.endsWith('…'),
  }));

const limits = { pods: 3, starting: 9, freeSlotsOf: (team: string): number => (team === 'full' ? 0 : 2) };

describe('checks that are due', () => {
  test.each<[string, due: string[], open: string[], picked: string[], held: number]>([
    ['checks of one group share a Pod', ['a/x', 'a/x', 'a/y'], [], ['a/x', 'a/y'], 0],
    ['a group whose Pod runs waits for its end', ['a/x', 'a/y'], ['a/x'], ['a/y'], 1],
    [
      'a team gets no more Pods than its limit, and others are not held up by it',
      ['a/x', 'a/y', 'a/z', 'b/x'],
      [],
      ['a/x', 'b/x', 'a/y'],
      1,
    ],
    ['a team without a free slot waits, and others do not', ['full/x', 'a/x'], [], ['a/x'], 1],
    ['all teams together get no more Pods than the limit', ['a/x', 'a/y'], ['c/x', 'd/x'], ['a/x'], 1],
    [
      'a team that runs no check gets a slot while other teams hold all of them',
      ['a/x', 'a/y'],
      ['c/x', 'c/y', 'd/x'],
      ['a/x'],
      1,
    ],
    [
      'ten checks that CronJobs of one team run take no slot of another team',
      ['a/x', 'a/y'],
      Array.from({ length: 10 }, (_, index) => `evil/${index}*`),
      ['a/x', 'a/y'],
      0,
    ],
    ['a group that a CronJob runs waits for its end', ['a/x'], ['a/x*'], [], 1],
    [
      'teams take turns, no matter which was due first',
      ['a/1', 'a/2', 'b/1', 'c/1'],
      [],
      ['a/1', 'b/1', 'c/1'],
      1,
    ],
  ])('%s', (_, due, open, ...[picked, held]) => {
    const answer = pickChecks(dueChecks(...due), openChecks(...open), limits);
    expect(answer.groups.map((checks) => checks[0]?.group)).toEqual(picked);
    expect(answer.held).toHaveLength(held);
  });

  test.each<[string, due: string[], open: string[], picked: string[]]>([
    ['no more Pods start at a time than the limit allows', ['a/x', 'a/y', 'a/z'], [], ['a/x', 'a/y']],
    [
      'a team without starting Pods is not held up by a team with many',
      ['b/x', 'b/y'],
      ['a/x…', 'a/y…'],
      ['b/x'],
    ],
    ['all groups wait beyond twice the limit', ['e/x'], ['a/x…', 'b/x…', 'c/x…', 'd/x…'], []],
  ])('%s', (_, due, open, picked) => {
    const many = { pods: 99, starting: 2, freeSlotsOf: () => 99 };
    const answer = pickChecks(dueChecks(...due), openChecks(...open), many);
    expect(answer.groups.map((checks) => checks[0]?.group)).toEqual(picked);
  });

  const name = fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'evil'), fc.nat(12))
    .map(([team, n]) => `${team}/${n}`);
  const drawn = fc.record({
    due: fc.array(name, { maxLength: 30 }),
    open: fc.uniqueArray(fc.tuple(name, fc.boolean()), { maxLength: 20, selector: ([group]) => group }),
    pods: fc.integer({ min: 1, max: 5 }),
    freeSlots: fc.integer({ min: 1, max: 4 }),
  });

  test('a team that runs nothing gets a slot while other teams hold all of them', () => {
    fc.assert(
      fc.property(drawn, ({ due, open, pods, freeSlots }) => {
        const runs = openChecks(...open.map(([group, byCronJob]) => (byCronJob ? `${group}*` : group)));
        const answer = pickChecks(dueChecks(...due), runs, {
          pods,
          starting: 99,
          freeSlotsOf: () => freeSlots,
        });
        const teams = new Set(due.map((group) => group.split('/')[0] ?? ''));
        for (const team of teams) {
          if (runs.some((run) => run.team === team)) continue;
          expect(answer.groups.flat().filter((check) => check.team === team)).not.toEqual([]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  test('every check is started or waits, once, and no team gets more than its free slots', () => {
    fc.assert(
      fc.property(drawn, ({ due, open, pods, freeSlots }) => {
        const runs = openChecks(...open.map(([group]) => group));
        const answer = pickChecks(dueChecks(...due), runs, {
          pods,
          starting: 99,
          freeSlotsOf: () => freeSlots,
        });
        const scopes = [...answer.groups.flat(), ...answer.held].map(({ scope }) => scope);
        expect(scopes.toSorted((a, b) => a - b)).toEqual(due.map((_, scope) => scope));
        const perTeam = Map.groupBy(answer.groups, (checks) => checks[0]?.team);
        for (const groups of perTeam.values()) expect(groups.length).toBeLessThanOrEqual(freeSlots);
      }),
      { numRuns: RUNS },
    );
  });
});

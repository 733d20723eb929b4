import { describe, expect, test } from '@jest/globals';
import { Chance } from './chance.ts';
import type { FaultKind } from './fault-kind.ts';
import { planFaults } from './plan-faults.ts';

const KINDS: FaultKind[] = [
  { name: 'kill', weight: 3, group: 'operator', inflict: () => Promise.resolve() },
  { name: 'freeze', weight: 1, seconds: [17, 20], group: 'operator', inflict: () => Promise.resolve() },
  { name: 'delete', weight: 2, group: 'builds', inflict: () => Promise.resolve() },
];
const plan = (seed: number, seconds = 1200) => planFaults(KINDS, new Chance(seed), seconds);

const draw = (seed: number): number[] => {
  const chance = new Chance(seed);
  return [chance.next(), chance.next(), chance.next()];
};

describe('chance', () => {
  test('is the same for the same seed, and another for another', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('stays below 1 and is spread', () => {
    const chance = new Chance(1);
    const draws = Array.from({ length: 2000 }, () => chance.next());
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
    expect(draws.filter((one) => one < 0.5).length).toBeGreaterThan(800);
    expect(draws.filter((one) => one >= 0.5).length).toBeGreaterThan(800);
  });

  test('keeps to weights', () => {
    const chance = new Chance(3);
    const names = Array.from({ length: 3000 }, () => chance.weighted(KINDS).name);
    const share = (name: string): number => names.filter((one) => one === name).length / names.length;
    expect(share('kill')).toBeCloseTo(1 / 2, 1);
    expect(share('freeze')).toBeCloseTo(1 / 6, 1);
  });
});

describe('a plan of faults', () => {
  test('is the same for the same seed', () => {
    expect(plan(4)).toEqual(plan(4));
    expect(plan(4)).not.toEqual(plan(5));
  });

  test('ends before the run does, and is in order', () => {
    const planned = plan(9);
    expect(planned.length).toBeGreaterThan(40);
    expect(planned.map(({ at }) => at)).toEqual(planned.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(Math.max(...planned.map(({ at, seconds }) => at + seconds))).toBeLessThanOrEqual(1200);
  });

  test('never hits one group twice at the same time', () => {
    for (const group of ['operator', 'builds']) {
      const times = plan(11).filter(({ kind }) => kind.group === group);
      expect(times.length).toBeGreaterThan(10);
      for (const [index, { at }] of times.slice(1).entries()) {
        const before = times[index];
        expect(at).toBeGreaterThan((before?.at ?? 0) + (before?.seconds ?? 0));
      }
    }
  });
});

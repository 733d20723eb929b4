import { describe, expect, test } from '@jest/globals';
import type { FaultKind } from './fault-kind.ts';
import { planFaults } from './plan-faults.ts';
import { SeededRandom } from './seeded-random.ts';

const KINDS: FaultKind[] = [
  { name: 'kill', weight: 3, group: 'operator', inflict: () => Promise.resolve() },
  { name: 'freeze', weight: 1, seconds: [17, 20], group: 'operator', inflict: () => Promise.resolve() },
  { name: 'delete', weight: 2, group: 'builds', inflict: () => Promise.resolve() },
];
const plan = (seed: number, seconds = 1200) => planFaults(KINDS, new SeededRandom(seed), seconds);

const draw = (seed: number): number[] => {
  const random = new SeededRandom(seed);
  return [random.next(), random.next(), random.next()];
};

describe('a seeded random generator', () => {
  test('gives the same numbers for the same seed and other numbers for another seed', () => {
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  test('gives numbers that are spread from 0 to below 1', () => {
    const random = new SeededRandom(1);
    const draws = Array.from({ length: 2000 }, () => random.next());
    expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...draws)).toBeLessThan(1);
    expect(draws.filter((one) => one < 0.5).length).toBeGreaterThan(800);
    expect(draws.filter((one) => one >= 0.5).length).toBeGreaterThan(800);
  });

  test('picks candidates in proportion to their weights', () => {
    const random = new SeededRandom(3);
    const names = Array.from({ length: 3000 }, () => random.weighted(KINDS).name);
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

  test('ends before the run does and is in order of time', () => {
    const planned = plan(9);
    expect(planned.length).toBeGreaterThan(40);
    expect(planned.map(({ at }) => at)).toEqual(planned.map(({ at }) => at).toSorted((a, b) => a - b));
    expect(Math.max(...planned.map(({ at, seconds }) => at + seconds))).toBeLessThanOrEqual(1200);
  });

  test('never has two faults of one group at the same time', () => {
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

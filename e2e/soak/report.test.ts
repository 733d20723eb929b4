import { describe, expect, test } from '@jest/globals';
import { emptyHistory } from './history.ts';
import { report } from './report.ts';

const START = 1_800_000_000_000;
const history = {
  ...emptyHistory(7, 5, START),
  faults: [
    { name: 'kill the leader', target: 'operator-a', from: START + 60_000, to: START + 60_100 },
    { name: 'freeze Postgres', target: 'postgres-0', from: START + 100_000, to: START + 106_000 },
    { name: 'kill an agent', target: '', from: START + 118_000, to: START + 118_000, skipped: 'none runs' },
    { name: 'kill etcd', target: 'etcd', from: START + 200_000, to: START + 201_500 },
  ],
};
const respected = { invariant: 'numbers follow', checked: 12, violations: [] };
const broken = {
  invariant: 'builds end',
  checked: 3,
  violations: [{ subject: 'a/b #1', what: 'is started', at: START + 120_000 }],
};

describe('a report', () => {
  test('says PASS and how to repeat the run if no invariant is violated', () => {
    const lines = report([respected], history).split('\n');
    expect(lines.at(-1)).toBe('PASS (SEED=7 MINUTES=5)');
    expect(lines).toContain('✔    12  numbers follow');
  });

  test('shows beside a violation only the faults near it', () => {
    const text = report([respected, broken], history);
    expect(text.split('\n').at(-1)).toBe('FAIL: 1 violations (SEED=7 MINUTES=5)');
    const shown = text.slice(text.indexOf('✘'));
    expect(shown).toContain('2:00 a/b #1: is started');
    expect(shown).toContain('1:40–1:46 freeze Postgres (postgres-0)');
    expect(shown).not.toMatch(/leader|etcd|agent/);
  });

  test('counts inflicted faults and those that found no target', () => {
    const text = report([respected], history);
    expect(text).toMatch(/ 1 {2}kill etcd$/m);
    expect(text).toMatch(/ 0 {2}kill an agent \(1 found nothing to hit\)$/m);
  });

  test('shortens a long list of violations', () => {
    const many = { ...broken, violations: Array.from({ length: 20 }, () => ({ subject: 's', what: 'w' })) };
    const text = report([many], history);
    expect(text).toContain('… and 12 more');
    expect(text).toContain('FAIL: 20 violations');
  });

  test('marks an invariant that was never checked', () => {
    expect(report([{ ...respected, checked: 0 }], history)).toContain('–     0  numbers follow');
  });
});

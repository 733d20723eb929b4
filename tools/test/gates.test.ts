import { describe, expect, test } from '@jest/globals';
import { GATES, whyLeftOut, withNeeds, type Cluster } from './gates.ts';

test('a gate brings what it needs, in the order of the list', () => {
  expect(withNeeds(['e2e', 'types'])).toEqual(['types', 'dist', 'cluster', 'images', 'install', 'e2e']);
});

test('what a gate needs comes before it', () => {
  const names = Object.keys(GATES);
  for (const [name, { needs = [] }] of Object.entries(GATES)) {
    for (const need of needs) expect(names.indexOf(need)).toBeLessThan(names.indexOf(name));
  }
});

test('an unknown gate is refused by name', () => {
  expect(() => withNeeds(['unitt'])).toThrow('There is no gate "unitt"');
});

describe('what is left out', () => {
  const cases: Record<string, [cluster: Cluster, leftOut: Record<string, unknown>]> = {
    'of a run that starts the cluster: nothing': ['own', {}],
    'on an embedded cluster that ran before: what takes it down': [
      'embedded',
      { rehearsal: 'it takes the embedded cluster down, and only one that this run starts itself' },
    ],
    'on a cluster of somebody else: what takes down or removes what is there': [
      'existing',
      { rehearsal: expect.stringContaining('$KUBECONFIG'), readme: expect.stringContaining('$KUBECONFIG') },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [cluster, leftOut]) => {
    const found = Object.entries(GATES).flatMap(([name, gate]) => {
      const why = whyLeftOut(gate, cluster);
      return why === undefined ? [] : [[name, why]];
    });
    expect(Object.fromEntries(found)).toEqual(leftOut);
  });

  test('is nothing that another gate needs', () => {
    const needed = new Set(Object.values(GATES).flatMap(({ needs = [] }) => needs));
    for (const [name, { only }] of Object.entries(GATES)) {
      if (only !== undefined) expect(needed).not.toContain(name);
    }
  });
});

import { describe, expect, test } from '@jest/globals';
import { GATES, whyLeftOut, withNeeds, type ClusterOwner } from './gates.ts';

test('a gate runs after the gates that it needs, in the order of the list', () => {
  expect(withNeeds(['e2e', 'types'])).toEqual([
    'types',
    'dist',
    'test-servers',
    'cluster',
    'images',
    'install',
    'e2e',
  ]);
});

test('the servers that tests start are built before these tests', () => {
  expect(withNeeds(['child-process'])).toEqual(['dist', 'test-servers', 'child-process']);
});

test('the gates that a gate needs come before it', () => {
  const names = Object.keys(GATES);
  for (const [name, { needs = [] }] of Object.entries(GATES)) {
    for (const need of needs) expect(names.indexOf(need)).toBeLessThan(names.indexOf(name));
  }
});

test('an unknown gate is refused by its name', () => {
  expect(() => withNeeds(['unitt'])).toThrow('There is no gate "unitt"');
});

describe('the gates left out of a run', () => {
  const cases: Record<string, [cluster: ClusterOwner, leftOut: Record<string, unknown>]> = {
    'are none if the run starts the cluster': ['own', {}],
    'are those that stop an embedded cluster that ran before': [
      'embedded',
      { rehearsal: 'it stops the embedded cluster, and this run did not start that cluster' },
    ],
    'are those that stop or uninstall anything on an existing cluster': [
      'existing',
      { rehearsal: expect.stringContaining('$KUBECONFIG'), readme: expect.stringContaining('$KUBECONFIG') },
    ],
  };
  test.each(Object.entries(cases))('%s', (_sentence, [cluster, leftOut]) => {
    const found = Object.entries(GATES).flatMap(([name, gate]) => {
      const reason = whyLeftOut(gate, cluster);
      return reason === undefined ? [] : [[name, reason]];
    });
    expect(Object.fromEntries(found)).toEqual(leftOut);
  });

  test('are not needed by other gates', () => {
    const needed = new Set(Object.values(GATES).flatMap(({ needs = [] }) => needs));
    for (const [name, { only }] of Object.entries(GATES)) {
      if (only !== undefined) expect(needed).not.toContain(name);
    }
  });
});

import { expect, test } from '@jest/globals';
import { GATES, withNeeds } from './gates.ts';

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

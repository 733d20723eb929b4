import { expect, test } from '@jest/globals';
import { isAutomatic } from './decision.ts';

test.each([
  ['version', true],
  ['ready', true],
  // Older releases stored this cause for builds of versions that passed upstream jobs.
  ['passed', true],
  ['manual', false],
  ['retry', false],
])('a build with the cause %s is automatic: %s', (kind, automatic) => {
  expect(isAutomatic(kind)).toBe(automatic);
});

import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { OLDEST_NODE, whyNodeIsTooOld } from './node-version.ts';

test.each(['20.20.2', '24.11.1', '22.99.0'])('Node %s is refused, with advice', (version) => {
  expect(whyNodeIsTooOld(version)).toBe(
    `millrace needs Node 24.12 or newer, and this is Node ${version}. ` +
      'Install a newer Node, or use the single executable, which contains its own.',
  );
});

test.each(['24.12.0', '24.21.0', '25.0.1', '26.3.0'])('Node %s runs the program', (version) => {
  expect(whyNodeIsTooOld(version)).toBeUndefined();
});

test('the oldest Node is that of package.json', () => {
  const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(engines).toEqual({ node: `>=${OLDEST_NODE}` });
});

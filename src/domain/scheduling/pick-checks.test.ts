import { expect, test } from '@jest/globals';
import { pickChecks } from './pick-checks.ts';

/** `team/group`, oldest due first. */
const wanted = (...names: string[]) =>
  names.map((name, scope) => ({ scope, team: name.split('/')[0] ?? '', group: name }));
const limits = { pods: 3, roomOf: (team: string): number => (team === 'full' ? 0 : 2) };

test.each<[string, due: string[], open: string[], picked: string[], held: number]>([
  ['checks of one group share a Pod', ['a/x', 'a/x', 'a/y'], [], ['a/x', 'a/y'], 0],
  ['a group whose Pod runs waits for its end', ['a/x', 'a/y'], ['a/x'], ['a/y'], 1],
  [
    'a team gets no more Pods than its limit, and others are not held up by it',
    ['a/x', 'a/y', 'a/z', 'b/x'],
    [],
    ['a/x', 'a/y', 'b/x'],
    1,
  ],
  ['a team without room waits, and others do not', ['full/x', 'a/x'], [], ['a/x'], 1],
  ['all together get no more than the limit', ['a/x', 'b/x'], ['c/x', 'd/x'], ['a/x'], 1],
])('%s', (_, due, open, ...[picked, held]) => {
  const running = wanted(...open);
  const answer = pickChecks(wanted(...due), running, limits);
  expect(answer.groups.map((checks) => checks[0]?.group)).toEqual(picked);
  expect(answer.held).toHaveLength(held);
});

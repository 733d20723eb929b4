import { expect, test } from '@jest/globals';
import { stepTitle } from './step-title.ts';

test.each([
  ['a task has its kind before its name', { kind: 'task', name: 'unit' }, 'task unit'],
  ['a group is what its block is called', { kind: 'parallel', name: 'in_parallel' }, 'in_parallel'],
  ['a command of a hook has only the name of its runner', { kind: 'command', name: 'shell' }, 'shell'],
])('%s', (_, step, title) => {
  expect(stepTitle(step)).toBe(title);
});

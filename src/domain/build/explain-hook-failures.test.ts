import { expect, test } from '@jest/globals';
import type { HookResult } from './agent-protocol.ts';
import { explainHookFailures, FURTHER_HOOKS } from './explain-hook-failures.ts';

const good: HookResult = { version: '7', job: 'unit', hook: 'shell', output: '' };
const bad: HookResult = { ...good, error: 'exit code 3.' };
const leftOut: HookResult = { ...good, hook: FURTHER_HOOKS, error: '12 hooks were not run: too many.' };

test.each<[string, HookResult[], string | undefined]>([
  ['hooks without failures have no message', [good, good], undefined],
  [
    'one failed hook of two is named',
    [good, bad],
    'The hook shell of job unit failed for version 7: exit code 3.',
  ],
  [
    'several failed hooks are named',
    [bad, good, bad],
    'The hook shell of job unit failed for version 7: exit code 3. 2 of 3 hooks failed.',
  ],
  ['hooks that were left out have not failed', [good, leftOut], '12 hooks were not run: too many.'],
  [
    'failed hooks come before those that were left out, and are counted without them',
    [bad, good, bad, leftOut],
    'The hook shell of job unit failed for version 7: exit code 3. 2 of 3 hooks failed. ' +
      '12 hooks were not run: too many.',
  ],
])('%s', (_title, results, sentence) => {
  expect(explainHookFailures(results)).toBe(sentence);
});

import { expect, test } from '@jest/globals';
import type { HookResult } from './agent-protocol.ts';
import { explainHookFailures } from './explain-hook-failures.ts';

const good: HookResult = { version: '7', job: 'unit', hook: 'shell', output: '' };
const bad: HookResult = { ...good, error: 'exit code 3.' };

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
])('%s', (_title, results, sentence) => {
  expect(explainHookFailures(results)).toBe(sentence);
});

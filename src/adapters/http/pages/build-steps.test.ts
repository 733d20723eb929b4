import { expect, test } from '@jest/globals';
import type { StepState } from '#domain/build/build-state.ts';
import { stepTree } from './build-steps.ts';

/** The words beside the step, without its name and status. */
function detailsOf(fields: Partial<StepState>): string {
  const step: StepState = { id: '0', kind: 'task', name: 'test', status: 'failed', ...fields };
  const tree = stepTree({ steps: [step], attempt: 1 }).toString();
  return /<span class="help">([^<]*)</.exec(tree)?.[1] ?? 'no details';
}

test.each([
  ['an exit code alone is shown', { exitCode: 1 }, 'exit code 1'],
  [
    'an exit code that the message says is shown once',
    { exitCode: 1, message: 'exit code 1' },
    'exit code 1',
  ],
  [
    'an exit code is shown beside a message that does not say it',
    { exitCode: 137, message: 'out of memory' },
    'exit code 137 · out of memory',
  ],
  ['the exit code of a success is not shown', { exitCode: 0 }, ''],
])('%s', (_, fields, details) => {
  expect(detailsOf(fields)).toBe(details);
});

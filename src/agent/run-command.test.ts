import { describe, expect, test } from '@jest/globals';
import type { ShimExit } from '#adapters/process/shim-commands.ts';
import { whyFailed } from './run-command.ts';

const exit = (more: Partial<ShimExit> = {}): ShimExit => ({
  end: { kind: 'code', code: 0 },
  outOfMemory: false,
  terminated: false,
  leftovers: false,
  message: '',
  ...more,
});

const CASES: Record<string, [end: ShimExit, why: string | undefined]> = {
  'exit code 0 is success': [exit(), undefined],
  'any other exit code is not': [exit({ end: { kind: 'code', code: 3 } }), 'exit code 3'],
  'a signal is named': [exit({ end: { kind: 'signal', signal: 9 } }), 'ended by SIGKILL'],
  'a signal for lack of memory says so': [
    exit({ end: { kind: 'signal', signal: 9 }, outOfMemory: true }),
    'out of memory: ended by SIGKILL',
  ],
  'exit code 0 is no success when a part of the step was killed for lack of memory': [
    exit({ outOfMemory: true }),
    'out of memory: one of its processes was killed',
  ],
  'exit code 0 is no success when the container was asked to end': [
    exit({ terminated: true }),
    'its container was asked to end meanwhile',
  ],
  'processes that stay are no success': [
    exit({ leftovers: true }),
    'processes that it started could not be ended',
  ],
};

describe('the end of a command', () => {
  test.each(Object.entries(CASES))('%s', (_sentence, [end, why]) => {
    expect(whyFailed(end)).toBe(why);
  });
});

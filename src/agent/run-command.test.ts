import { describe, expect, test } from '@jest/globals';
import type { ShimExit } from '#adapters/process/shim-commands.ts';
import type { ShimConnection } from '#adapters/process/shim-connection.ts';
import { runCommand, whyFailed } from './run-command.ts';

const exit = (more: Partial<ShimExit> = {}): ShimExit => ({
  end: { kind: 'code', code: 0 },
  outOfMemory: false,
  terminated: false,
  leftovers: false,
  commandEnded: false,
  message: '',
  ...more,
});

const CASES: Record<string, [end: ShimExit, why: string | undefined]> = {
  'is success with exit code 0': [exit(), undefined],
  'is a failure with any other exit code': [exit({ end: { kind: 'code', code: 3 } }), 'exit code 3'],
  'names a signal': [exit({ end: { kind: 'signal', signal: 9 } }), 'ended by SIGKILL'],
  'says if a signal was for lack of memory': [
    exit({ end: { kind: 'signal', signal: 9 }, outOfMemory: true }),
    'out of memory: ended by SIGKILL',
  ],
  'does not count as success if part of the step was killed for lack of memory, even with exit code 0': [
    exit({ outOfMemory: true }),
    'out of memory: one of its processes was killed',
  ],
  'does not count as success if the container was terminated, even with exit code 0': [
    exit({ terminated: true }),
    'its container was terminated while the command ran',
  ],
  'does not count as success if processes are left': [
    exit({ leftovers: true }),
    'processes that it started could not be killed',
  ],
};

test('a stop after the end of a command sends no signal', async () => {
  const sent: string[] = [];
  const ended = Promise.resolve({ ...exit(), output: '' });
  const shim: ShimConnection = Object.create(null, {
    run: { value: () => ({ ended, signal: (name: string) => sent.push(name) }) },
  });
  const stop = new AbortController();
  const end = await runCommand({
    shims: new Map([['worker', shim]]),
    command: { container: 'worker', argv: ['true'] },
    env: {},
    onOutput: () => undefined,
    stop: stop.signal,
  });
  stop.abort();
  expect([end, sent]).toEqual([{ ...exit(), output: '' }, []]);
});

describe('the end of a command', () => {
  test.each(Object.entries(CASES))('%s', (_sentence, [end, why]) => {
    expect(whyFailed(end)).toBe(why);
  });
});

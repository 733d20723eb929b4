import { spawnSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { killIfRunning } from './kill-if-running.ts';

test('a process that has ended is ignored', () => {
  const { pid } = spawnSync('true');
  expect(() => killIfRunning(pid, 'SIGKILL')).not.toThrow();
});

test('a signal that does not exist is an error', () => {
  // @ts-expect-error: not one of the names of signals
  expect(() => killIfRunning(process.pid, 'SIGNOTHING')).toThrow('Unknown signal: SIGNOTHING');
});

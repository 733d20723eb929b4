import { execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';

const WAYS: Record<string, () => unknown> = {
  spawn: () => spawn('true'),
  execFile: () => execFile('true'),
  fork: () => fork('none.js'),
  spawnSync: () => spawnSync('true'),
  execFileSync: () => execFileSync('true'),
  execSync: () => execSync('true'),
};

describe('a unit test starts no child process', () => {
  test.each(Object.entries(WAYS))('by %s', (_name, start) => {
    expect(start).toThrow('Name the file <what>.child-process.test.ts');
  });
});

test('an error in a unit test records as many calls as in Node', () => {
  const fail = (depth: number): Error => (depth === 0 ? new Error('deep') : fail(depth - 1));
  expect(fail(50).stack?.match(/^ +at /gm)).toHaveLength(10);
});

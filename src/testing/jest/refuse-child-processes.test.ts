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

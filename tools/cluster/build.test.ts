import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { missingTools, recipeOf } from './build.ts';
import { foldersFrom } from './folders.ts';
import type { Tool } from './versions.ts';

const tool: Tool = {
  name: 'one',
  version: 'v1.0.0',
  module: 'a.test/one',
  packages: { '.': 'one' },
  ldflags: [],
};

describe("the digest of a tool's recipe", () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'recipe-'));
    writeFileSync(join(folder, 'go.mod'), 'module a.test/one\n');
    writeFileSync(join(folder, 'main.go'), 'package main\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is the same for unchanged files', () => {
    expect(recipeOf(tool, folder)).toBe(recipeOf(tool, folder));
  });

  test.each([
    ['changes with a source file', 'main.go', true],
    ['changes with a new checksum', 'go.sum', true],
    ['does not change with a text beside the sources', 'README.md', false],
    ['does not change with a new test', 'main_test.go', false],
  ])('%s', (_, file, changes) => {
    const before = recipeOf(tool, folder);
    writeFileSync(join(folder, file), 'changed\n');
    expect(recipeOf(tool, folder) !== before).toBe(changes);
  });

  test('depends on the flags', () => {
    expect(recipeOf({ ...tool, ldflags: ['-X a=b'] }, folder)).not.toBe(recipeOf(tool, folder));
  });
});

describe('the tools to build', () => {
  const empty = foldersFrom({ MILLRACE_CACHE: '/nonexistent' });

  test('are all but the optional ones in an empty folder', () => {
    const names = missingTools(empty, []).map(({ name }) => name);
    expect(names).toContain('kubernetes');
    expect(names).not.toContain('kwok');
  });

  test('include an optional tool by its name', () => {
    expect(missingTools(empty, ['kwok']).map(({ name }) => name)).toEqual(['kwok']);
  });

  test('cannot be unknown', () => {
    expect(() => missingTools(empty, ['kubernets'])).toThrow(
      /no tool "kubernets"; there are kubernetes, etcd/,
    );
  });
});

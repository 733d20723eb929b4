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

describe('the recipe of a tool', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'recipe-'));
    writeFileSync(join(folder, 'go.mod'), 'module a.test/one\n');
    writeFileSync(join(folder, 'main.go'), 'package main\n');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is the same for the same files', () => {
    expect(recipeOf(tool, folder)).toBe(recipeOf(tool, folder));
  });

  test.each([
    ['a source file changes', 'main.go', true],
    ['a checksum is added', 'go.sum', true],
    ['a text beside it changes', 'README.md', false],
    ['a test is added', 'main_test.go', false],
  ])('when %s', (_, file, changes) => {
    const before = recipeOf(tool, folder);
    writeFileSync(join(folder, file), 'changed\n');
    expect(recipeOf(tool, folder) !== before).toBe(changes);
  });

  test('changes with the flags', () => {
    expect(recipeOf({ ...tool, ldflags: ['-X a=b'] }, folder)).not.toBe(recipeOf(tool, folder));
  });
});

describe('what must be built', () => {
  const empty = foldersFrom({ MILLRACE_CACHE: '/nonexistent' });

  test('is everything but the optional tools where nothing is built', () => {
    const names = missingTools(empty, []).map((one) => one.name);
    expect(names).toContain('kubernetes');
    expect(names).not.toContain('kwok');
  });

  test('is an optional tool that is named', () => {
    expect(missingTools(empty, ['kwok']).map((one) => one.name)).toEqual(['kwok']);
  });

  test('is never a tool that does not exist', () => {
    expect(() => missingTools(empty, ['kubernets'])).toThrow(
      /no tool "kubernets"; there are kubernetes, etcd/,
    );
  });
});

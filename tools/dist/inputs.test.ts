import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { inputState } from './inputs.ts';

describe('the hash of inputs', () => {
  let folder = '';
  const hash = async (...others: readonly string[]) => (await inputState(folder, ['*.go'], others)).hash;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'inputs-'));
    writeFileSync(join(folder, 'a.go'), 'package a');
    writeFileSync(join(folder, 'b.go'), 'package b');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each<[string, () => void]>([
    ['the content of a file', () => writeFileSync(join(folder, 'a.go'), 'package c')],
    ['the name of a file', () => renameSync(join(folder, 'a.go'), join(folder, 'c.go'))],
    ['a new file', () => writeFileSync(join(folder, 'c.go'), '')],
    ['a removed file', () => rmSync(join(folder, 'a.go'))],
  ])('depends on %s', async (_, change) => {
    const before = await hash();
    change();
    expect(await hash()).not.toBe(before);
  });

  test('comes with the time of the newest file', async () => {
    utimesSync(join(folder, 'a.go'), 1000, 1000);
    utimesSync(join(folder, 'b.go'), 2000, 2000);
    expect((await inputState(folder, ['*.go'])).newest).toBe(2_000_000);
  });

  test('depends on the other listed inputs', async () => {
    expect(await hash('go1.26')).not.toBe(await hash('go1.27'));
  });

  test('does not depend on the location or on files that match no pattern', async () => {
    const before = await hash();
    writeFileSync(join(folder, 'README.md'), 'text');
    expect(await hash()).toBe(before);
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    folder = moved;
    expect(await hash()).toBe(before);
  });
});

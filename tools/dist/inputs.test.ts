import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { stateOf } from './inputs.ts';

describe('the hash of inputs', () => {
  let folder = '';
  const hash = async (...others: readonly string[]) => (await stateOf(folder, ['*.go'], others)).hash;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'inputs-'));
    writeFileSync(join(folder, 'a.go'), 'package a');
    writeFileSync(join(folder, 'b.go'), 'package b');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test.each<[string, () => void]>([
    ['a text', () => writeFileSync(join(folder, 'a.go'), 'package c')],
    ['a name', () => renameSync(join(folder, 'a.go'), join(folder, 'c.go'))],
    ['a new file', () => writeFileSync(join(folder, 'c.go'), '')],
    ['a file that is gone', () => rmSync(join(folder, 'a.go'))],
  ])('changes with %s', async (_, change) => {
    const before = await hash();
    change();
    expect(await hash()).not.toBe(before);
  });

  test('comes with the time of the file written last', async () => {
    utimesSync(join(folder, 'a.go'), 1000, 1000);
    utimesSync(join(folder, 'b.go'), 2000, 2000);
    expect((await stateOf(folder, ['*.go'])).newest).toBe(2_000_000);
  });

  test('changes with what else counts', async () => {
    expect(await hash('go1.26')).not.toBe(await hash('go1.27'));
  });

  test('stays with the same texts elsewhere, and with files that no pattern names', async () => {
    const before = await hash();
    writeFileSync(join(folder, 'README.md'), 'text');
    expect(await hash()).toBe(before);
    const moved = `${folder}-moved`;
    renameSync(folder, moved);
    folder = moved;
    expect(await hash()).toBe(before);
  });
});

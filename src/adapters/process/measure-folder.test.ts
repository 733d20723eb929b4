import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { measureFolder } from './measure-folder.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'cache-'))));
afterEach(() => rmSync(folder, { recursive: true }));

test('the size of a folder includes the files of its subfolders, and follows no links', async () => {
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'a'), Buffer.alloc(8192, 1));
  writeFileSync(join(folder, 'inner', 'b'), Buffer.alloc(4096, 1));
  symlinkSync('/', join(folder, 'root'));
  const bytes = await measureFolder(folder);
  expect(bytes).toBeGreaterThanOrEqual(12_288);
  expect(bytes).toBeLessThan(64 * 1024);
});

test('the size of a missing folder is undefined', async () => {
  expect(await measureFolder(join(folder, 'missing'))).toBeUndefined();
});

import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { forkProgram, quoteNodeOption } from './fork-program.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'fork "program" '));
  const text =
    "process.send([process.permission?.has('fs.read', __filename), process.argv.length, process.execArgv])";
  writeFileSync(join(folder, 'child.cjs'), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ['a program that runs from files', false, ['--permission', '']],
  ['an executable, from NODE_OPTIONS, with any character in a path', true, []],
])('flags of Node reach %s', async (_, isExecutable, execArgv) => {
  const flags = ['--permission', `--allow-fs-read=${folder}/*`];
  const child = forkProgram(join(folder, 'child.cjs'), ['one'], { execArgv: flags, env: {} }, isExecutable);
  const [message] = await once(child, 'message');
  expect(message).toEqual([true, 3, execArgv.map((flag) => flag || flags[1])]);
});

test.each([
  ['--allow-fs-read=/a b/*', '"--allow-fs-read=/a b/*"'],
  [String.raw`--x=a"b\c`, String.raw`"--x=a\"b\\c"`],
])('%s is quoted', (flag, quoted) => {
  expect(quoteNodeOption(flag)).toBe(quoted);
});

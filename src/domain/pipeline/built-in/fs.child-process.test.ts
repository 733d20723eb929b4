import { chmod, mkdir, mkdtemp, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { check, pull } from './fs.ts';

let root = '';
let work = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-fs-'));
  work = join(root, 'work');
  await mkdir(work);
});
afterEach(() => rm(root, { recursive: true }));

const run = (script: string, path: string, version: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(script, work, {
    param_path: path,
    ...Object.fromEntries(Object.entries(version).map(([key, value]) => [`version_${key}`, value])),
  });

async function versionOf(path: string): Promise<Record<string, string>> {
  const { code, stdout, stderr } = await run(check, path);
  if (code !== 0) throw new Error(stderr);
  const [version] = JSON.parse(stdout);
  return version;
}

describe('check of a file', () => {
  test('tells path, hash, time and size as texts', async () => {
    const file = join(root, 'a "b".txt');
    await writeFile(file, 'hello\n');
    await utimes(file, 1_700_000_000, 1_700_000_000);
    expect(await versionOf(file)).toEqual({
      path: file,
      hash: '5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03',
      modified: '1700000000',
      size: '6',
    });
  });

  test('tells nothing when the content is the same, whatever its time', async () => {
    const file = join(root, 'a');
    await writeFile(file, 'x');
    const version = await versionOf(file);
    await utimes(file, 1, 1);
    expect(await run(check, file, version)).toMatchObject({ code: 0, stdout: '[]\n' });
    await writeFile(file, 'y');
    expect(JSON.parse((await run(check, file, version)).stdout)).toHaveLength(1);
  });

  test('tells nothing when there is none', async () => {
    expect(await run(check, join(root, 'none'))).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test.each(['', 'relative', './x', '../x'])('refuses the path %j', async (path) => {
    expect(await run(check, path)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `fs: the path '${path}' is not absolute\n`,
    });
  });
});

describe('check of a directory', () => {
  test('tells path and hash, which follow names and contents of all files', async () => {
    const folder = join(root, 'tree');
    await mkdir(join(folder, 'deep/er'), { recursive: true });
    await writeFile(join(folder, 'deep/er/a\nb'), '1');
    const seen = [await versionOf(folder)];
    await writeFile(join(folder, '-rf'), '2');
    seen.push(await versionOf(folder));
    await rm(join(folder, '-rf'));
    await writeFile(join(folder, 'other'), '2');
    seen.push(await versionOf(folder));
    expect(Object.keys(seen[0] ?? {})).toEqual(['path', 'hash']);
    expect(new Set(seen.map(({ hash }) => hash)).size).toBe(3);
    expect(await run(check, folder, seen[2])).toMatchObject({ stdout: '[]\n' });
  });

  test('has a version when it is empty', async () => {
    const folder = join(root, 'empty');
    await mkdir(folder);
    expect((await versionOf(folder))['hash']).toHaveLength(64);
  });
});

describe('pull', () => {
  test('copies a file, a link as what it leads to', async () => {
    await writeFile(join(root, 'a'), 'hello');
    await chmod(join(root, 'a'), 0o750);
    await symlink(join(root, 'a'), join(root, 'link'));
    const version = await versionOf(join(root, 'link'));
    expect(await run(pull, join(root, 'link'), version)).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(work, 'link'), 'utf8')).toBe('hello');
  });

  test('copies the content of a directory beside what is there', async () => {
    const folder = join(root, '-tree');
    await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(folder, 'sub/.hidden'), 'x');
    await writeFile(join(work, 'there'), 'y');
    const version = await versionOf(folder);
    expect(await run(pull, folder, version)).toMatchObject({ code: 0 });
    expect(await readFile(join(work, 'sub/.hidden'), 'utf8')).toBe('x');
    expect(await readFile(join(work, 'there'), 'utf8')).toBe('y');
  });

  test('fails when the content is another one by now', async () => {
    await writeFile(join(root, 'a'), 'old');
    const version = await versionOf(join(root, 'a'));
    await writeFile(join(root, 'a'), 'new');
    const end = await run(pull, join(root, 'a'), version);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('has changed since this version was found');
  });

  test('fails when it is gone', async () => {
    expect((await run(pull, join(root, 'gone'), { hash: 'x' })).stderr).toContain('is not there any more');
  });
});

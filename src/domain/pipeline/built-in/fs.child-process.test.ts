import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { volumeFolder } from '#testing/process/volume-folder.ts';
import { check, pull, push } from './fs.ts';

let root = '';
let work = '';
beforeEach(async () => {
  root = await volumeFolder();
  work = await mkdtemp(join(tmpdir(), 'millrace-fs-'));
});
afterEach(async () => {
  for (const folder of [root, work]) await rm(folder, { recursive: true });
});

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

describe('a check of a file', () => {
  test('prints path, hash, time and size as strings', async () => {
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

  test('prints no version if the content is unchanged, even if the time of the file changed', async () => {
    const file = join(root, 'a');
    await writeFile(file, 'x');
    const version = await versionOf(file);
    await utimes(file, 1, 1);
    expect(await run(check, file, version)).toMatchObject({ code: 0, stdout: '[]\n' });
    await writeFile(file, 'y');
    expect(JSON.parse((await run(check, file, version)).stdout)).toHaveLength(1);
  });

  test('prints no version if the file does not exist', async () => {
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

describe('a check of a directory', () => {
  test('prints path and a hash of the names and contents of all files', async () => {
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

  test('prints a version for an empty directory', async () => {
    const folder = join(root, 'empty');
    await mkdir(folder);
    expect((await versionOf(folder))['hash']).toHaveLength(64);
  });
});

describe('a get from the file system', () => {
  test('copies a file, and a link as its target', async () => {
    await writeFile(join(root, 'a'), 'hello');
    await chmod(join(root, 'a'), 0o750);
    await symlink(join(root, 'a'), join(root, 'link'));
    const version = await versionOf(join(root, 'link'));
    expect(await run(pull, join(root, 'link'), version)).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(work, 'link'), 'utf8')).toBe('hello');
  });

  test('copies the content of a directory beside existing files', async () => {
    const folder = join(root, '-tree');
    await mkdir(join(folder, 'sub'), { recursive: true });
    await writeFile(join(folder, 'sub/.hidden'), 'x');
    await writeFile(join(work, 'there'), 'y');
    const version = await versionOf(folder);
    expect(await run(pull, folder, version)).toMatchObject({ code: 0 });
    expect(await readFile(join(work, 'sub/.hidden'), 'utf8')).toBe('x');
    expect(await readFile(join(work, 'there'), 'utf8')).toBe('y');
  });

  test('fails if the content has changed', async () => {
    await writeFile(join(root, 'a'), 'old');
    const version = await versionOf(join(root, 'a'));
    await writeFile(join(root, 'a'), 'new');
    const end = await run(pull, join(root, 'a'), version);
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('has changed since this version was found');
  });

  test('fails if the file is gone', async () => {
    expect((await run(pull, join(root, 'gone'), { hash: 'x' })).stderr).toContain('is not there any more');
  });
});

describe('links on a volume', () => {
  test.each(['/etc/hostname', '/etc', '/dev/shm/../../etc'])(
    'are refused if they lead to %j outside of the volume, as the path itself and below the path',
    async (target) => {
      await symlink(target, join(root, 'out'));
      const why = 'leads out of';
      expect(await run(check, join(root, 'out'))).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(why),
      });
      expect(await run(check, root)).toMatchObject({
        code: 1,
        stderr: `fs: '${root}' has a link that leads out of '/dev/shm'\n`,
      });
      expect((await run(pull, root, { hash: 'x' })).code).toBe(1);
      expect(await readdir(work)).toEqual([]);
    },
  );

  test('are refused in the middle of the path if they lead out of the volume', async () => {
    await symlink('/usr', join(root, 'system'));
    const path = join(root, 'system/bin/env');
    expect((await run(check, path)).stderr).toContain('not on a volume, or is a link that leads out of it');
    expect((await put(work, join(root, 'system/new'))).code).toBe(1);
  });

  test('are followed within the volume, and a get copies their targets', async () => {
    const folder = join(root, 'tree');
    await mkdir(join(folder, '..2026'), { recursive: true });
    await writeFile(join(folder, '..2026/settings'), 'on');
    await symlink('..2026', join(folder, '..data'));
    await symlink('..data/settings', join(folder, 'settings'));
    const version = await versionOf(folder);
    expect(await run(pull, folder, version)).toMatchObject({ code: 0 });
    expect(await readdir(work)).toEqual(['settings']);
    expect((await lstat(join(work, 'settings'))).isFile()).toBe(true);
    // When a ConfigMap changes, the kubelet writes its files to a new folder.
    await rename(join(folder, '..2026'), join(folder, '..2027'));
    await rm(join(folder, '..data'));
    await symlink('..2027', join(folder, '..data'));
    expect(await run(check, folder, version)).toMatchObject({ stdout: '[]\n' });
  });

  test('are refused if they lead nowhere or in a circle', async () => {
    await symlink('gone', join(root, 'broken'));
    expect((await run(check, root)).stderr).toContain('has a link that leads nowhere');
    await rm(join(root, 'broken'));
    await symlink('.', join(root, 'circle'));
    expect((await run(check, root)).code).toBe(1);
  });
});

/** Stores a file or folder of the working directory. */
function put(from: string, path: string): Promise<ScriptEnd> {
  return runScript(push, work, { param_path: path, put_from: from });
}

describe('a put to the file system', () => {
  test('stores a file in new folders, and its version is what a check then finds', async () => {
    await writeFile(join(work, 'report'), 'green');
    const path = join(root, 'deep/er/report');
    const end = await put('report', path);
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(end.stdout)).toEqual(await versionOf(path));
    expect(await readFile(path, 'utf8')).toBe('green');
    expect(await readdir(join(root, 'deep/er'))).toEqual(['report']);
  });

  test('replaces a file, a link, and a folder with all that was in it', async () => {
    await mkdir(join(work, 'site/css'), { recursive: true });
    await writeFile(join(work, 'site/css/a.css'), 'a');
    const path = join(root, 'site');
    await writeFile(path, 'a file');
    expect((await put('site', path)).code).toBe(0);
    await writeFile(join(path, 'css/old.css'), 'old');
    expect((await put('site/', `${path}/`)).code).toBe(0);
    expect(await readdir(join(path, 'css'))).toEqual(['a.css']);
    await writeFile(join(work, 'one'), '1');
    expect((await put('one', path)).code).toBe(0);
    await rm(path);
    await symlink('/etc', path);
    expect((await put('site', path)).code).toBe(0);
    expect((await lstat(path)).isDirectory()).toBe(true);
    expect(await readdir(root)).toEqual(['site']);
  });

  test.each([
    ['', 'the put needs from'],
    ['/etc/hostname', 'is not in the working directory'],
    ['../x', 'is not in the working directory'],
    ['none', "there is no 'none' in the working directory"],
    ['out', 'is a link that leads out of the working directory'],
    ['folder', 'has a link that leads out of'],
    ['pipe', 'is neither a file nor a folder'],
  ])('refuses to store %j, and leaves nothing behind', async (from, why) => {
    await symlink('/etc/hostname', join(work, 'out'));
    await mkdir(join(work, 'folder'));
    await symlink('/etc/hostname', join(work, 'folder/out'));
    await runScript('mkfifo pipe', work, {});
    const end = await put(from, join(root, 'target'));
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(why) });
    expect(await readdir(root)).toEqual([]);
  });

  test('refuses the volume itself, and places that are on no volume', async () => {
    await writeFile(join(work, 'a'), 'a');
    expect((await put('a', '/dev/shm')).stderr).toContain('is the volume itself');
    expect((await put('a', `${tmpdir()}/none/a`)).stderr).toContain('is not on a volume');
  });

  test('leaves nothing visible to checks and gets if it is interrupted', async () => {
    await mkdir(join(root, 'tree'));
    await writeFile(join(root, 'tree/a'), 'a');
    const version = await versionOf(join(root, 'tree'));
    await mkdir(join(root, 'tree/.millrace-abc/content'), { recursive: true });
    expect(await run(check, join(root, 'tree'), version)).toMatchObject({ stdout: '[]\n' });
    expect((await run(pull, join(root, 'tree'), version)).code).toBe(0);
    expect(await readdir(work)).toEqual(['a']);
  });
});

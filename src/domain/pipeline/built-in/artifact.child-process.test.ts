import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { pull, push } from './artifact.ts';

let root = '';
let work = '';
let cache = '';
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-artifact-'));
  work = join(root, 'work');
  cache = join(root, 'cache');
  await mkdir(join(work, 'out/deep'), { recursive: true });
  await writeFile(join(work, 'out/deep/file'), 'content');
  await mkdir(cache);
});
afterEach(() => rm(root, { recursive: true }));

const put = (variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(push, work, { CACHE_DIR: cache, put_dir: 'out', ...variables });
const get = (hash: string, variables: Record<string, string> = {}): Promise<ScriptEnd> =>
  runScript(pull, work, { CACHE_DIR: cache, version_hash: hash, ...variables });

async function hashOf(end: Promise<ScriptEnd>): Promise<string> {
  const { code, stdout, stderr } = await end;
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout).hash;
}

describe('a put', () => {
  test('keeps the same files once, whenever they were written', async () => {
    const first = await hashOf(put());
    await utimes(join(work, 'out/deep/file'), 5, 5);
    expect(await hashOf(put())).toBe(first);
    await writeFile(join(work, 'out/deep/file'), 'other');
    expect(await hashOf(put())).not.toBe(first);
    expect(await readdir(cache)).toHaveLength(2);
  });

  test('keeps it where base_dir says', async () => {
    const base = join(root, 'a "b"/c');
    const hash = await hashOf(put({ param_base_dir: base, CACHE_DIR: '' }));
    expect(await readdir(base)).toEqual([`${hash}.tar.gz`]);
  });

  test.each(['', '/etc', '../out', 'a/../../b', 'none'])(
    'refuses the directory %j, and keeps nothing',
    async (dir) => {
      const end = await put({ put_dir: dir });
      expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^artifact: /) });
      expect(await readdir(cache)).toEqual([]);
    },
  );

  test('fails without a place', async () => {
    expect((await put({ CACHE_DIR: '' })).stderr).toContain('set base_dir');
  });
});

describe('a get', () => {
  test('brings back what was put, into the directory of the resource', async () => {
    await chmod(join(work, 'out/deep/file'), 0o755);
    const hash = await hashOf(put());
    expect(await get(hash, { param_dir: 'in/here' })).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(work, 'in/here/deep/file'), 'utf8')).toBe('content');
  });

  test('brings it into the working directory itself otherwise', async () => {
    const hash = await hashOf(put());
    await get(hash);
    expect(await readFile(join(work, 'deep/file'), 'utf8')).toBe('content');
  });

  test('fails when the archive is gone or damaged', async () => {
    const hash = await hashOf(put());
    await writeFile(join(cache, `${hash}.tar.gz`), 'x');
    expect((await get(hash)).stderr).toContain('is damaged');
    await rm(join(cache, `${hash}.tar.gz`));
    expect((await get(hash)).stderr).toContain('any more');
  });

  test.each(['', '../x', 'ABC'])('refuses the version %j', async (hash) => {
    expect(await get(hash)).toMatchObject({
      code: 1,
      stderr: `artifact: '${hash}' is not the hash of an archive\n`,
    });
  });

  test('refuses to write elsewhere', async () => {
    expect(await get('a'.repeat(64), { param_dir: '../x' })).toMatchObject({ code: 1 });
  });
});

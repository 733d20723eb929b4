import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  commit,
  folder,
  git,
  httpUrl,
  origin,
  port,
  root,
  run,
  runProgram,
  seen,
  sentBytes,
  serveRepository,
  TOKEN,
  useGitServer,
} from '#testing/pipelines/git-under-test.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';

useGitServer();

const HOSTILE_REFS = [
  '--upload-pack=touch x',
  '-x',
  'a..b',
  'a b',
  'a~1',
  'x.lock',
  'a\nb',
  '$(touch x)\\',
  'a*',
];

describe('a git check', () => {
  test('prints the newest commit of the default branch', async () => {
    const id = await commit('one');
    expect(await run(check, { param_url: origin })).toEqual({
      code: 0,
      stdout: `[{"ref":"${id}"}]\n`,
      stderr: '',
    });
  });

  test.each(['feature/x', "we'ird-$HOME-`id`", 'ünïcode', 'a"quote', 'refs/heads/main', 'semi;colon&amp'])(
    'follows only the branch %j',
    async (branch) => {
      await commit('one');
      const id = await commit('two', branch);
      const { stdout } = await run(check, { param_url: origin, param_branch: branch });
      expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
    },
  );

  test('distinguishes a branch from another whose name ends like it', async () => {
    const id = await commit('one');
    await commit('two', 'x/main');
    await git('-C', origin, 'update-ref', 'refs/aa/refs/heads/main', await commit('three', 'z'));
    const { stdout } = await run(check, { param_url: origin, param_branch: 'main' });
    expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
  });

  test('fails on a missing branch', async () => {
    await commit('one');
    const outcome = await run(check, { param_url: origin, param_branch: 'mian' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "git: the repository has no branch 'mian'\n",
    });
  });

  test('fails on an empty repository', async () => {
    const outcome = await run(check, { param_url: origin });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toContain('no commit on its default branch yet');
  });

  test('fails on a missing repository with the message of git', async () => {
    const outcome = await run(check, { param_url: join(root, 'nothing.git') });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('does not appear to be a git repository');
    expect(outcome.stdout).toBe('');
  });

  test.each(HOSTILE_REFS)('refuses %j as a branch', async (branch) => {
    await commit('one');
    const outcome = await run(check, { param_url: origin, param_branch: branch });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(outcome.stderr).toMatch(/begins with a dash|cannot be the name of a branch/);
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test.each([
    '--upload-pack=touch x',
    '-oProxyCommand=touch x',
    'ext::sh -c touch% x',
    'file:///etc',
    '/etc',
    '',
    'ssh://-oProxyCommand=touch%20x/y',
  ])('refuses %j as a URL', async (url) => {
    const outcome = await runProgram('/bin/sh', ['-ec', check], { cwd: folder, env: { param_url: url } });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toBe('');
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test('works over smart HTTP, which is allowed by default', async () => {
    const id = await commit('one');
    const outcome = await runProgram('/bin/sh', ['-ec', check], { cwd: folder, env: { param_url: httpUrl } });
    expect(outcome).toEqual({ code: 0, stdout: `[{"ref":"${id}"}]\n`, stderr: '' });
  });
});

describe('a token for git', () => {
  beforeEach(async () => {
    await commit('one');
    await git('clone', '-q', '--bare', origin, join(root, 'private.git'));
    serveRepository('private');
  });

  test('opens a private repository, whatever characters it has', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: TOKEN });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });

  test('fails at once if it is wrong, without a prompt', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: 'wrong' });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).not.toContain('wrong');
  });

  test('fails at once if it is missing, without a prompt', async () => {
    const outcome = await run(check, { param_url: httpUrl });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('terminal prompts disabled');
  });

  test('is not sent to another host after a redirect', async () => {
    const url = `http://127.0.0.1:${port()}/redirect/private.git`;
    const outcome = await run(check, { param_url: url, param_token: TOKEN });
    expect(outcome.code).not.toBe(0);
    expect(seen.filter(({ host }) => host.startsWith('localhost'))).not.toEqual([]);
    expect(
      seen.filter(({ host, authorization }) => host.startsWith('localhost') && authorization !== ''),
    ).toEqual([]);
  });

  test('is not stored in the clone', async () => {
    const { stdout } = await run(check, { param_url: httpUrl, param_token: TOKEN });
    const [version] = JSON.parse(stdout);
    await run(pull, { param_url: httpUrl, param_token: TOKEN, param_name: 'app', version_ref: version.ref });
    const { stdout: found } = await runProgram('grep', ['-rlF', 'tok"en', '.'], { cwd: folder });
    expect(await git('-C', join(folder, 'app'), 'rev-parse', 'HEAD')).toBe(version.ref);
    expect(found).toBe('');
  });
});

const inClone = (...args: string[]): Promise<string> => git('-C', join(folder, 'app'), ...args);

describe('a git get', () => {
  test('clones exactly the version, on the branch', async () => {
    const first = await commit('one');
    await commit('two');
    const outcome = await run(pull, {
      param_url: origin,
      param_name: 'app',
      param_branch: 'main',
      version_ref: first,
    });
    expect(outcome).toMatchObject({ code: 0, stdout: '' });
    expect(await inClone('rev-parse', 'HEAD')).toBe(first);
    expect(await inClone('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(await inClone('status', '--porcelain')).toBe('');
    expect(await inClone('rev-parse', '--abbrev-ref', 'HEAD@{upstream}')).toBe('origin/main');
  });

  test('finds a commit of another branch, and sets the given branch to it', async () => {
    await commit('one');
    const id = await commit('two', 'topic');
    await run(pull, { param_url: origin, param_name: 'deep/er', param_branch: 'topic', version_ref: id });
    expect(await readFile(join(folder, 'deep/er/file'), 'utf8')).toBe('two\n');
  });

  test('finds a commit from before a forced push while the server has it', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const base = await commit('one');
    const lost = await commit('two');
    await commit('other two', 'main', base);
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: lost });
    expect(outcome.code).toBe(0);
    expect(await inClone('rev-parse', 'HEAD')).toBe(lost);
  });

  test('reports that history was rewritten if the commit is gone', async () => {
    await commit('one');
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: 'ab'.repeat(20) });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('its history was rewritten');
  });

  test('works after the branch was deleted', async () => {
    await commit('one');
    const id = await commit('two', 'topic');
    await commit('three', 'keeps-it', id);
    await git('-C', origin, 'update-ref', '-d', 'refs/heads/topic');
    await run(pull, { param_url: origin, param_name: 'app', param_branch: 'topic', version_ref: id });
    expect(await inClone('rev-parse', 'topic')).toBe(id);
  });

  test('fetches no submodules', async () => {
    const work = join(root, 'with-submodule');
    await commit('one');
    await git('clone', '-q', origin, work);
    await git('-C', work, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
    await git('-C', work, 'commit', '-q', '-m', 'sub');
    await git('-C', work, 'push', '-q');
    const id = await git('-C', work, 'rev-parse', 'HEAD');
    await run(pull, { param_url: origin, param_name: 'app', version_ref: id });
    expect(await readFile(join(folder, 'app/sub/file'), 'utf8').catch(() => 'absent')).toBe('absent');
    expect(await inClone('rev-parse', 'HEAD')).toBe(id);
  });

  test.each(['', '../up', '/abs', 'a/../../b', '-x', '.', '..', '.git', 'a/.git/hooks', './a'])(
    'refuses %j as a folder',
    async (name) => {
      const id = await commit('one');
      const outcome = await run(pull, { param_url: origin, param_name: name, version_ref: id });
      expect(outcome).toMatchObject({
        code: 1,
        stderr: `git: '${name}' cannot be the name of a folder to clone into\n`,
      });
    },
  );

  test.each(['', 'main', '--help', 'abc;touch x', 'HEAD'])('refuses %j as a version', async (ref) => {
    await commit('one');
    const outcome = await run(pull, { param_url: origin, param_name: 'app', version_ref: ref });
    expect(outcome).toMatchObject({ code: 1, stderr: `git: '${ref}' is not a commit\n` });
  });

  test('does not clone over existing files', async () => {
    const id = await commit('one');
    await mkdir(join(folder, 'app'));
    const outcome = await run(pull, { param_url: origin, param_name: 'app', version_ref: id });
    expect(outcome).toMatchObject({ code: 1, stderr: "git: 'app' exists already\n" });
  });

  test('fills a cache, and replaces a broken one', async () => {
    const cache = join(root, 'cache');
    await mkdir(cache);
    const id = await commit('one');
    const cached = { param_url: httpUrl, version_ref: id, CACHE_DIR: cache };
    await run(pull, { ...cached, param_name: 'a' });
    expect(await readFile(join(cache, 'mirror.git/packed-refs'), 'utf8')).toContain(`${id} refs/heads/main`);
    await run(pull, { ...cached, param_name: 'b' });
    await rm(join(cache, 'mirror.git/objects'), { recursive: true });
    await run(pull, { ...cached, param_name: 'c' });
    await rm(join(cache, 'mirror.git/objects'), { recursive: true });
    await writeFile(join(cache, 'mirror.git/objects'), 'not a folder');
    const outcome = await run(pull, { ...cached, param_name: 'd' });
    expect(outcome.stderr).toContain('the next get fills it again');
    await rm(cache, { recursive: true });
    for (const clone of ['a', 'b', 'c', 'd']) {
      expect(await git('-C', join(folder, clone), 'rev-parse', 'HEAD')).toBe(id);
      expect(await git('-C', join(folder, clone), 'fsck')).toBe('');
    }
  });

  test('fetches only what the cache lacks, and takes everything else from the cache', async () => {
    const cache = await mkdtemp(join(root, 'cache-'));
    const first = await commit(randomBytes(30_000).toString('hex'));
    await run(pull, { param_url: httpUrl, version_ref: first, param_name: 'first', CACHE_DIR: cache });
    const objects = join(cache, 'mirror.git/objects');
    const before = new Set(await readdir(objects, { recursive: true }));
    const second = await commit('new');
    const sentBefore = sentBytes;
    await run(pull, { param_url: httpUrl, version_ref: second, param_name: 'second', CACHE_DIR: cache });
    const added = (await readdir(objects, { recursive: true })).filter(
      (name) => !before.has(name) && /[0-9a-f]{38}$/.test(name),
    );
    expect(sentBytes - sentBefore).toBeLessThan(10_000);
    // A commit, its tree, and its file.
    expect(added.length).toBeLessThanOrEqual(3);
    expect(await git('-C', join(folder, 'second'), 'rev-parse', 'HEAD')).toBe(second);
    await rm(join(cache, 'mirror.git'), { recursive: true });
    expect(await git('-C', join(folder, 'second'), 'fsck')).toBe('');
  });

  test('ignores an object of the cache whose contents do not match its name', async () => {
    const cache = await mkdtemp(join(root, 'cache-'));
    const id = await commit('honest');
    const cached = { param_url: httpUrl, version_ref: id, CACHE_DIR: cache };
    const tree = await git('-C', origin, 'rev-parse', `${id}^{tree}`);
    const [, , blob = '', name = ''] =
      (await git('-C', origin, 'ls-tree', tree)).split('\n')[0]?.split(/\s/) ?? [];
    const forged = deflateSync('blob 6\0forged');
    await run(pull, { ...cached, param_name: 'fill' });
    const folderOfBlob = join(cache, 'mirror.git/objects', blob.slice(0, 2));
    await mkdir(folderOfBlob, { recursive: true });
    await rm(join(folderOfBlob, blob.slice(2)), { force: true });
    await writeFile(join(folderOfBlob, blob.slice(2)), forged);
    const outcome = await run(pull, { ...cached, param_name: 'after' });
    expect(outcome.stderr).toContain('the next get fills it again');
    expect(await readFile(join(folder, 'after', name), 'utf8')).not.toBe('forged');
    expect(await git('-C', join(folder, 'after'), 'fsck')).toBe('');
  });

  test('reads no configuration from a cache', async () => {
    const cache = await mkdtemp(join(root, 'cache-'));
    const id = await commit('configured');
    const cached = { param_url: httpUrl, version_ref: id, CACHE_DIR: cache };
    await run(pull, { ...cached, param_name: 'one' });
    const trace = join(root, 'ran-from-the-cache');
    const settings = `[uploadpack]\n\tpackObjectsHook = touch ${trace}\n[credential]\n\thelper = "!touch ${trace}"\n`;
    await writeFile(join(cache, 'mirror.git/config'), settings);
    await run(pull, { ...cached, param_name: 'two' });
    expect(existsSync(trace)).toBe(false);
    expect(await git('-C', join(folder, 'two'), 'rev-parse', 'HEAD')).toBe(id);
  });
});

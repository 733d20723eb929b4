import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
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
  serveRepository,
  TOKEN,
} from '#testing/pipelines/git-under-test.ts';
import { check, pull } from './git.ts';

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

describe('check', () => {
  test('answers with the newest commit of the default branch', async () => {
    const id = await commit('one');
    expect(await run(check, { param_url: origin })).toEqual({
      code: 0,
      stdout: `[{"ref":"${id}"}]\n`,
      stderr: '',
    });
  });

  test.each(['feature/x', "we'ird-$HOME-`id`", 'ünïcode', 'a"quote', 'refs/heads/main', 'semi;colon&amp'])(
    'follows the branch %j and no other',
    async (branch) => {
      await commit('one');
      const id = await commit('two', branch);
      const { stdout } = await run(check, { param_url: origin, param_branch: branch });
      expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
    },
  );

  test('takes a branch whose name ends like another one for what it is', async () => {
    const id = await commit('one');
    await commit('two', 'x/main');
    await git('-C', origin, 'update-ref', 'refs/aa/refs/heads/main', await commit('three', 'z'));
    const { stdout } = await run(check, { param_url: origin, param_branch: 'main' });
    expect(JSON.parse(stdout)).toEqual([{ ref: id }]);
  });

  test('fails on a branch that is missing', async () => {
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

  test('fails, with what git says, on a repository that is missing', async () => {
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

  test.each(['ssh://git@forge.example/o/r.git', 'git@forge.example:o/r.git'])(
    'says of %s that there is no way to give a key',
    async (url) => {
      const outcome = await run(check, { param_url: url });
      expect(outcome).toMatchObject({ code: 1, stderr: expect.stringContaining('no way to give a key yet') });
    },
  );

  test('works over smart HTTP, which is allowed without being told', async () => {
    const id = await commit('one');
    const outcome = await runProgram('/bin/sh', ['-ec', check], { cwd: folder, env: { param_url: httpUrl } });
    expect(outcome).toEqual({ code: 0, stdout: `[{"ref":"${id}"}]\n`, stderr: '' });
  });
});

describe('a token', () => {
  beforeEach(async () => {
    await commit('one');
    await git('clone', '-q', '--bare', origin, join(root, 'private.git'));
    serveRepository('private');
  });

  test('opens a private repository, whatever characters it has', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: TOKEN });
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
  });

  test('that is wrong fails at once instead of asking', async () => {
    const outcome = await run(check, { param_url: httpUrl, param_token: 'wrong' });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout + outcome.stderr).not.toContain('wrong');
  });

  test('that is missing fails at once instead of asking', async () => {
    const outcome = await run(check, { param_url: httpUrl });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stderr).toContain('terminal prompts disabled');
  });

  test('does not follow a redirect to another host', async () => {
    const url = `http://127.0.0.1:${port()}/redirect/private.git`;
    const outcome = await run(check, { param_url: url, param_token: TOKEN });
    expect(outcome.code).not.toBe(0);
    expect(seen.filter(({ host }) => host.startsWith('localhost'))).not.toEqual([]);
    expect(
      seen.filter(({ host, authorization }) => host.startsWith('localhost') && authorization !== ''),
    ).toEqual([]);
  });

  test('stays out of the clone', async () => {
    const { stdout } = await run(check, { param_url: httpUrl, param_token: TOKEN });
    const [version] = JSON.parse(stdout);
    await run(pull, { param_url: httpUrl, param_token: TOKEN, param_name: 'app', version_ref: version.ref });
    const { stdout: found } = await runProgram('grep', ['-rlF', 'tok"en', '.'], { cwd: folder });
    expect(await git('-C', join(folder, 'app'), 'rev-parse', 'HEAD')).toBe(version.ref);
    expect(found).toBe('');
  });
});

const inClone = (...args: string[]): Promise<string> => git('-C', join(folder, 'app'), ...args);

describe('pull', () => {
  test('clones at exactly the version, on the branch', async () => {
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

  test('finds a commit of another branch, and makes the asked branch point at it', async () => {
    await commit('one');
    const id = await commit('two', 'topic');
    await run(pull, { param_url: origin, param_name: 'deep/er', param_branch: 'topic', version_ref: id });
    expect(await readFile(join(folder, 'deep/er/file'), 'utf8')).toBe('two\n');
  });

  test('finds a commit that a forced push left behind, as long as the server has it', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const base = await commit('one');
    const lost = await commit('two');
    await commit('other two', 'main', base);
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: lost });
    expect(outcome.code).toBe(0);
    expect(await inClone('rev-parse', 'HEAD')).toBe(lost);
  });

  test('says that history was rewritten when the commit is gone', async () => {
    await commit('one');
    const outcome = await run(pull, { param_url: httpUrl, param_name: 'app', version_ref: 'ab'.repeat(20) });
    expect(outcome.code).toBe(1);
    expect(outcome.stderr).toContain('its history was rewritten');
  });

  test('still works when the branch has been deleted', async () => {
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

  test('does not clone over something', async () => {
    const id = await commit('one');
    await mkdir(join(folder, 'app'));
    const outcome = await run(pull, { param_url: origin, param_name: 'app', version_ref: id });
    expect(outcome).toMatchObject({ code: 1, stderr: "git: 'app' exists already\n" });
  });

  test('fills a cache and gets along with a broken one', async () => {
    const cache = join(root, 'cache');
    await mkdir(cache);
    const id = await commit('one');
    const cached = { param_url: httpUrl, version_ref: id, CACHE_DIR: cache };
    await run(pull, { ...cached, param_name: 'a' });
    expect(await git('-C', join(cache, 'mirror.git'), 'rev-parse', 'main')).toBe(id);
    await run(pull, { ...cached, param_name: 'b' });
    await rm(join(cache, 'mirror.git/objects'), { recursive: true });
    const outcome = await run(pull, { ...cached, param_name: 'c' });
    expect(outcome.stderr).toContain('made anew next time');
    await rm(cache, { recursive: true });
    for (const clone of ['a', 'b', 'c']) {
      expect(await git('-C', join(folder, clone), 'rev-parse', 'HEAD')).toBe(id);
      expect(await git('-C', join(folder, clone), 'fsck')).toBe('');
    }
  });
});

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  commit,
  folder,
  git,
  httpUrl,
  origin,
  root,
  run,
  runProgram,
  useGitServer,
} from '#testing/pipelines/git-under-test.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';

useGitServer();

interface Version {
  ref: string;
  branch: string;
}

/**
 * The versions that a check prints after the `known` ones. As in Millrace, the check gets the last version,
 * and the newest one of each branch.
 */
async function checkAfter(known: Version[], branches: string, params = {}, url = origin): Promise<Version[]> {
  const last = known.at(-1);
  const end = await run(check, {
    param_url: url,
    param_branches: branches,
    ...(last && {
      version_ref: last.ref,
      version_branch: last.branch,
      KNOWN_BRANCHES: JSON.stringify(Object.fromEntries(known.map(({ branch, ref }) => [branch, ref]))),
    }),
    ...params,
  });
  expect([end.code, end.stderr]).toEqual([0, '']);
  return JSON.parse(end.stdout);
}

/**
 * The time of the last commit. Each commit is later than the one before, so the order of commits on several
 * branches is certain.
 */
let clock = 1_700_000_000;
async function commitOn(branch: string, message: string, base = ''): Promise<Version> {
  const tree = await git('-C', origin, 'hash-object', '-w', '-t', 'tree', '/dev/null');
  const tip = (
    await runProgram('git', ['-C', origin, 'rev-parse', '--verify', '-q', `refs/heads/${branch}`], {
      cwd: root,
    })
  ).stdout.trim();
  const parent = base === '' ? tip : base;
  clock += 10;
  const date = `@${clock} +0000`;
  const { stdout } = await runProgram(
    'git',
    ['-C', origin, 'commit-tree', '-m', message, ...(parent === '' ? [] : ['-p', parent]), tree],
    { cwd: root, env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date } },
  );
  await git('-C', origin, 'update-ref', `refs/heads/${branch}`, stdout.trim());
  return { ref: stdout.trim(), branch };
}

describe('a git check of branches', () => {
  test('begins with the last commit of each branch that matches', async () => {
    await commitOn('main', 'one');
    await commitOn('release/1', 'two');
    const lastOfTwo = await commitOn('release/2', 'three');
    await commitOn('release/x/hotfix', 'four');
    const lastOfOne = await commitOn('release/1', 'five');
    expect(await checkAfter([], 'release/*')).toEqual([lastOfTwo, lastOfOne]);
    expect(await checkAfter([], 'release/*', {}, httpUrl)).toEqual([lastOfTwo, lastOfOne]);
  });

  test.each([
    ['release/**', ['release/1', 'release/a.b', 'release/x/fix']],
    ['release/?', ['release/1']],
    ['release/a.b, main', ['main', 'release/a.b']],
    ['**, !release/**', ['main', 'raise+1', 'releases']],
    ['r*', ['raise+1', 'releases']],
    ['raise+1', ['raise+1']],
    ['release/a?b', ['release/a.b']],
    ['release/a.b|main', []],
  ])('with %j follows %j', async (patterns, followed) => {
    const branches = ['main', 'release/1', 'release/x/fix', 'release/a.b', 'releases', 'raise+1'];
    const { ref } = await commitOn('main', 'one');
    const commands = branches.map((branch) => `update refs/heads/${branch} ${ref}`).join('\n');
    await runProgram(
      '/bin/sh',
      ['-ec', 'printf "%s\\n" "$2" | git -C "$1" update-ref --stdin', 'sh', origin, commands],
      {
        cwd: root,
      },
    );
    const end = await run(check, { param_url: origin, param_branches: patterns });
    const versions: Version[] = JSON.parse(end.stdout);
    expect(versions.map(({ branch }) => branch).toSorted()).toEqual(followed);
    expect(end.stderr).toBe(
      followed.length > 0 ? '' : `git: there is no branch that matches '${patterns}'\n`,
    );
  });

  test('prints every new commit of each branch, and nothing if there is none', async () => {
    const known = [await commitOn('release/1', 'a'), await commitOn('release/2', 'b')];
    expect(await checkAfter(known, 'release/*')).toEqual([]);
    const newer = [
      await commitOn('release/1', 'c'),
      await commitOn('release/2', 'd'),
      await commitOn('release/1', 'e'),
      await commitOn('release/2', 'f [skip ci]'),
    ].slice(0, 3);
    expect(await checkAfter(known, 'release/*')).toEqual(newer);
  });

  test('prints the last commit of a new branch, even if another branch has it', async () => {
    await commitOn('release/1', 'a');
    const last = await commitOn('release/1', 'b');
    const { ref } = last;
    await git('-C', origin, 'update-ref', 'refs/heads/release/2', ref);
    expect(await checkAfter([last], 'release/*')).toEqual([{ ref, branch: 'release/2' }]);
  });

  test('leaves out a branch whose name is not UTF-8, and says so', async () => {
    const main = await commitOn('main', 'one');
    const latin1 = `git -C "$1" update-ref "refs/heads/$(printf 'caf\\351')" "$2"`;
    await runProgram('/bin/sh', ['-ec', latin1, 'sh', origin, main.ref], { cwd: root });
    const end = await run(check, { param_url: origin, param_branches: '*' });
    expect(end).toMatchObject({
      code: 0,
      stderr: 'git: branches whose names are not UTF-8 are left out (1)\n',
    });
    expect(JSON.parse(end.stdout)).toEqual([main]);
  });

  test('ignores a deleted branch, and begins again with a new branch of the same name', async () => {
    const unchanged = await commitOn('release/1', 'a');
    const gone = await commitOn('release/2', 'b');
    await git('-C', origin, 'update-ref', '-d', 'refs/heads/release/2');
    expect(await checkAfter([unchanged, gone], 'release/*')).toEqual([]);
    await commitOn('release/2', 'c');
    const last = await commitOn('release/2', 'd');
    expect(await checkAfter([unchanged, gone], 'release/*')).toEqual([last]);
  });

  test('prints only the last commit of a branch whose history was rewritten', async () => {
    const base = await commitOn('release/1', 'a');
    const known = [await commitOn('release/1', 'b')];
    await commitOn('release/1', 'c', base.ref);
    const last = await commitOn('release/1', 'd');
    expect(await checkAfter(known, 'release/*')).toEqual([last]);
  });

  test('keeps the commits of a branch in order, whatever their clocks say', async () => {
    const known = [await commitOn('release/1', 'a'), await commitOn('release/2', 'b')];
    clock += 1000;
    const ahead = await commitOn('release/1', 'c');
    clock -= 1000;
    const behind = await commitOn('release/1', 'd');
    const other = await commitOn('release/2', 'e');
    expect(await checkAfter(known, 'release/*')).toEqual([other, ahead, behind]);
  });

  test('without KNOWN_BRANCHES begins after the last version', async () => {
    const known = await commitOn('release/1', 'a');
    const newer = await commitOn('release/1', 'b');
    const end = await run(check, {
      param_url: origin,
      param_branches: 'release/*',
      version_ref: known.ref,
      version_branch: known.branch,
    });
    expect(JSON.parse(end.stdout)).toEqual([newer]);
  });

  test.each([
    ['!main', 'branches has no pattern that includes a branch'],
    ['$(touch x)', 'there is no branch that matches'],
  ])('with the patterns %j prints a message', async (patterns, message) => {
    await commitOn('main', 'one');
    const end = await run(check, { param_url: origin, param_branches: patterns });
    expect(end.stderr).toContain(message);
    expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
  });

  test('reads only the hundred branches with the newest commits', async () => {
    const tip = (await commitOn('main', 'one')).ref;
    const tree = await git('-C', origin, 'rev-parse', `${tip}^{tree}`);
    const script = `for number in $(seq 300); do
      echo "commit refs/heads/b/$number"; echo "committer A <a@b> $((1700000000 + number)) +0000"; echo 'data 0'; echo
    done | git -C "$1" fast-import --quiet`;
    await runProgram('/bin/sh', ['-ec', script, 'sh', origin], { cwd: root });
    expect(tree).not.toBe('');
    const versions = await checkAfter([], 'b/*');
    expect(versions.map(({ branch }) => branch)).toEqual(
      Array.from({ length: 100 }, (_, at) => `b/${201 + at}`),
    );
  });

  test('fails for more than a thousand branches, and says how many there are', async () => {
    const { ref } = await commitOn('main', 'one');
    const script = `for number in $(seq 1001); do echo "create refs/heads/b/$number $2"; done | git -C "$1" update-ref --stdin`;
    await runProgram('/bin/sh', ['-ec', script, 'sh', origin, ref], { cwd: root });
    const end = await run(check, { param_url: origin, param_branches: 'b/*' });
    expect(end).toMatchObject({
      code: 1,
      stdout: '',
      stderr: "git: 1001 branches match 'b/*': at most 1000 are allowed\n",
    });
  });
});

const params = (): Record<string, string> => ({
  param_url: origin,
  param_branches: 'release/*',
  param_name: 'app',
});

describe('a version of a branch', () => {
  test('is cloned on that branch, and commits of the build are pushed to it', async () => {
    await commit('one');
    const ref = await commit('two', 'release/1');
    const version = { version_ref: ref, version_branch: 'release/1' };
    expect(await run(pull, { ...params(), ...version })).toMatchObject({ code: 0 });
    const app = join(folder, 'app');
    expect(await git('-C', app, 'symbolic-ref', '--short', 'HEAD')).toBe('release/1');
    await git('-C', app, 'commit', '-q', '--allow-empty', '-m', 'made by the build');
    const commitOfBuild = await git('-C', app, 'rev-parse', 'HEAD');
    const end = await run(push, { ...params(), ...version });
    expect(end).toMatchObject({ code: 0, stdout: `{"ref":"${commitOfBuild}","branch":"release/1"}\n` });
    expect(await git('-C', origin, 'rev-parse', 'release/1')).toBe(commitOfBuild);
  });

  test('is needed for a put', async () => {
    const ref = await commit('one', 'release/1');
    await run(pull, { ...params(), version_ref: ref, version_branch: 'release/1' });
    const end = await run(push, params());
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('get the resource') });
  });

  test.each(['--upload-pack=touch x', 'a b', 'a..b'])('cannot have the branch %j', async (branch) => {
    const ref = await commit('one');
    for (const script of [pull, push]) {
      const end = await run(script, { ...params(), version_ref: ref, version_branch: branch });
      expect(end.stderr).toMatch(/begins with a dash|cannot be the name of a branch/);
    }
  });
});

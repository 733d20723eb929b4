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
  useGitServer,
} from '#testing/pipelines/git-under-test.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';

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

const inClone = (...args: string[]): Promise<string> => git('-C', join(folder, 'app'), ...args);

async function commitChange(): Promise<string> {
  await inClone('commit', '-q', '--allow-empty', '-m', 'made by the build');
  return inClone('rev-parse', 'HEAD');
}

describe('a git put', () => {
  const params = { param_name: 'app' };
  const clone = async (id: string): Promise<void> => {
    await run(pull, { ...params, param_url: origin, version_ref: id });
  };

  test('pushes a new commit to the default branch and prints the version', async () => {
    await clone(await commit('one'));
    const id = await commitChange();
    const outcome = await run(push, { ...params, param_url: httpUrl });
    expect(outcome).toMatchObject({ code: 0, stdout: `{"ref":"${id}"}\n` });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test.each(['release/1', 'a"quote'])('creates the branch %j if it does not exist', async (branch) => {
    await clone(await commit('one'));
    const id = await commitChange();
    await run(push, { ...params, param_url: origin, param_branch: branch });
    expect(await git('-C', origin, 'rev-parse', `refs/heads/${branch}`)).toBe(id);
  });

  test('fails if the branch has diverged, and changes nothing', async () => {
    await clone(await commit('one'));
    await commitChange();
    const theirs = await commit('two');
    const outcome = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(outcome.code).not.toBe(0);
    expect(outcome.stdout).toBe('');
    expect(await git('-C', origin, 'for-each-ref', '--format=%(objectname) %(refname)')).toBe(
      `${theirs} refs/heads/main`,
    );
  });

  test('with tag sets a tag on an older commit without moving the branch', async () => {
    const id = await commit('one');
    await clone(id);
    const tip = await commit('two');
    const outcome = await run(push, { ...params, param_url: httpUrl, put_tag: 'v1.0"x' });
    expect(JSON.parse(outcome.stdout)).toEqual({ ref: id });
    expect(await git('-C', origin, 'rev-parse', 'refs/tags/v1.0"x')).toBe(id);
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(tip);
  });

  test('can run twice', async () => {
    await clone(await commit('one'));
    await commitChange();
    const first = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(await run(push, { ...params, param_url: origin, put_tag: 'v1' })).toEqual({
      ...first,
      stderr: '',
    });
  });

  test('finds its own annotated tag of an earlier run', async () => {
    const id = await commit('one');
    await clone(id);
    await git('-C', origin, 'tag', '-a', '-m', 'release', 'v1', id);
    expect(await run(push, { ...params, param_url: origin, put_tag: 'v1' })).toMatchObject({ code: 0 });
  });

  test('pushes the commit of a shallow clone', async () => {
    await commit('one');
    await commit('two');
    await git('clone', '-q', '--depth=1', `file://${origin}`, join(folder, 'app'));
    const id = await commitChange();
    expect(await run(push, { ...params, param_url: origin })).toMatchObject({ code: 0 });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test('works in a work tree, and with objects in another folder', async () => {
    await commit('one');
    await git('clone', '-q', origin, join(root, 'main'));
    await git('clone', '-q', '--shared', join(root, 'main'), join(root, 'shared'));
    await git('-C', join(root, 'shared'), 'worktree', 'add', '-q', join(folder, 'app'));
    const id = await commitChange();
    expect(await run(push, { ...params, param_url: origin, param_branch: 'main' })).toMatchObject({
      code: 0,
    });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(id);
  });

  test('refuses to move a tag', async () => {
    const id = await commit('one');
    await git('-C', origin, 'tag', 'v1', id);
    await clone(await commit('two'));
    const outcome = await run(push, { ...params, param_url: origin, put_tag: 'v1' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: `git: the tag 'v1' exists already, at ${id}\n`,
    });
  });

  test.each(HOSTILE_REFS)('refuses %j as a tag', async (tag) => {
    await clone(await commit('one'));
    const outcome = await run(push, { ...params, param_url: origin, put_tag: tag });
    expect(outcome).toMatchObject({ code: 1, stdout: '' });
    expect(await git('-C', origin, 'tag')).toBe('');
  });

  test('fails without a clone', async () => {
    await commit('one');
    const outcome = await run(push, { ...params, param_url: origin });
    expect(outcome.stderr).toBe(
      "git: there is no folder 'app': get the resource in this job before the put\n",
    );
  });

  test('fails on a clone without a commit', async () => {
    await git('clone', '-q', origin, join(folder, 'app'));
    const outcome = await run(push, { ...params, param_url: origin });
    expect(outcome).toMatchObject({ code: 1, stderr: "git: 'app' has no commit to push\n" });
  });
});

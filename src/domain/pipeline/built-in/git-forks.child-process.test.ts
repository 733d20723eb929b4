import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import {
  addLargeFile,
  addSubmodule,
  createRepository,
  folder,
  git,
  httpUrl,
  port,
  run,
  seen,
  serveRepository,
  TOKEN,
  useGitServer,
  type Outcome,
} from '#testing/pipelines/git-under-test.ts';
import { installIfMissing } from '#testing/process/debian-packages.ts';
import { pull } from './git-pull.ts';

/*
 * The author of a pull request from a fork decides which addresses its commit has for submodules and Git LFS.
 * The repository `private-own` is the one of the resource, and `private-other` is another one that the token
 * of the resource can read.
 */
useGitServer();

beforeAll(async () => await installIfMissing('/usr/bin/git-lfs', 'git-lfs'), 600_000);
beforeEach(async () => {
  await Promise.all(['private-own', 'private-other', 'public'].map(createRepository));
  serveRepository('private-own');
});

const FORK = { param_pr: 'true', param_forks: 'true', version_pr: '7', version_fork: 'true' };
const get = (ref: string, variables: Record<string, string>): Promise<Outcome> =>
  run(pull, { param_url: httpUrl, param_name: 'app', param_token: TOKEN, version_ref: ref, ...variables });

/** The repositories for which the server got a password. */
const withPassword = (): string[] => [
  ...new Set(
    seen.filter(({ authorization }) => authorization !== '').map(({ path }) => path.split('/')[1] ?? ''),
  ),
];
const urlOfOther = (): string => `http://127.0.0.1:${port()}/private-other.git`;

describe('a get of a pull request from a fork', () => {
  const submodules = { param_submodules: 'true' };
  const refusal =
    'git: the submodules could not be fetched: a request from a fork gets neither the token nor the key for them\n';

  test.each<[title: string, address: () => string]>([
    ['a whole address', urlOfOther],
    ['a relative address', () => '../private-other.git'],
    ['an address for SSH', () => 'git@127.0.0.1:private-other.git'],
  ])('gets no submodule that needs the token, with %s', async (_title, address) => {
    const ref = await addSubmodule('private-own', 'lib', 'private-other', address());
    const end = await get(ref, { ...FORK, ...submodules, GIT_ALLOW_PROTOCOL: 'http' });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
    expect(withPassword()).toEqual(['private-own.git']);
  });

  test('gets no submodule with the password of the url', async () => {
    const ref = await addSubmodule('private-own', 'lib', 'private-other', '../private-other.git');
    const param_url = httpUrl.replace('://', `://oauth2:${encodeURIComponent(TOKEN)}@`);
    const end = await get(ref, { ...FORK, ...submodules, param_url, param_token: '' });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
    expect(withPassword()).toEqual(['private-own.git']);
    expect(await git('-C', join(folder, 'app'), 'config', 'remote.origin.url')).toBe(httpUrl);
  });

  test('gets submodules that anyone can read', async () => {
    const ref = await addSubmodule('private-own', 'lib', 'public', '../public.git');
    expect(await get(ref, { ...FORK, ...submodules })).toMatchObject({ code: 0 });
    expect(await git('-C', join(folder, 'app/lib'), 'log', '-1', '--format=%s')).toBe('public');
    expect(withPassword()).toEqual(['private-own.git']);
  });

  test.each<[title: string, variables: Record<string, string>]>([
    ['fork_secrets is true', { ...FORK, param_fork_secrets: 'true' }],
    ['it is not from a fork', { version_pr: '7' }],
  ])('gets submodules with the token if %s', async (_title, variables) => {
    const ref = await addSubmodule('private-own', 'lib', 'private-other', '../private-other.git');
    expect(await get(ref, { ...variables, ...submodules })).toMatchObject({ code: 0 });
    expect(withPassword()).toEqual(['private-own.git', 'private-other.git']);
  });

  test.each<[title: string, config: () => string]>([
    ['lfs.url', () => `[lfs]\n\turl = ${urlOfOther()}/info/lfs\n`],
    ['the address of a remote', () => `[remote "origin"]\n\tlfsurl = ${urlOfOther()}/info/lfs\n`],
    ['nothing', () => ''],
  ])(
    'gets files of Git LFS from the repository of the resource only, with %s in .lfsconfig',
    async (_title, config) => {
      const ref = await addLargeFile('private-own', 'the content', config());
      expect(await get(ref, { ...FORK, param_lfs: 'true' })).toMatchObject({ code: 0 });
      expect(await readFile(join(folder, 'app/large'), 'utf8')).toBe('the content');
      expect(seen.filter(({ path }) => path.startsWith('/private-other'))).toEqual([]);
    },
  );

  test('gets no files of Git LFS that need the token in a submodule', async () => {
    await addLargeFile('public', 'the content', `[lfs]\n\turl = ${urlOfOther()}/info/lfs\n`);
    const ref = await addSubmodule('private-own', 'lib', 'public', '../public.git');
    const end = await get(ref, { ...FORK, ...submodules, param_lfs: 'true' });
    expect(end).toMatchObject({ code: 1, stderr: expect.stringContaining(refusal) });
    expect(withPassword()).toEqual(['private-own.git']);
  });
});

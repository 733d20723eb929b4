import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  addSubmodule,
  commit,
  createRepository,
  folder,
  git,
  httpUrl,
  origin,
  port,
  run,
  seen,
  TOKEN,
  useGitServer,
  type Outcome,
} from '#testing/pipelines/git-under-test.ts';
import { pull } from './git-pull.ts';
import { push } from './git-push.ts';

useGitServer();

const inClone = (...args: string[]): Promise<string> => git('-C', join(folder, 'app'), ...args);
const get = (ref: string, variables: Record<string, string> = {}): Promise<Outcome> =>
  run(pull, { param_url: httpUrl, param_name: 'app', version_ref: ref, ...variables });

describe('a shallow get', () => {
  test.each(['1', '2'])('has the last %s commits of the version, on its branch', async (depth) => {
    await commit('one');
    await commit('two');
    const id = await commit('three');
    await commit('four');
    expect(await get(id, { param_depth: depth })).toMatchObject({ code: 0 });
    expect(await inClone('rev-list', '--count', 'HEAD')).toBe(depth);
    expect(await inClone('rev-parse', 'main')).toBe(id);
    expect(await inClone('symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(await readFile(join(folder, 'app/file'), 'utf8')).toBe('three\n');
  });

  test('of a tag has the tag', async () => {
    const id = await commit('one');
    await git('-C', origin, 'tag', '-a', '-m', 'release', 'v1', id);
    await commit('two');
    await get(id, { param_depth: '1', version_tag: 'v1' });
    expect(await inClone('describe', '--tags', '--exact-match')).toBe('v1');
  });

  test('can be pushed', async () => {
    await commit('one');
    const id = await commit('two');
    await get(id, { param_depth: '1' });
    await inClone('commit', '-q', '--allow-empty', '-m', 'made by the build');
    const commitOfBuild = await inClone('rev-parse', 'HEAD');
    expect(await run(push, { param_url: httpUrl, param_name: 'app' })).toMatchObject({ code: 0 });
    expect(await git('-C', origin, 'rev-parse', 'main')).toBe(commitOfBuild);
  });

  test('of a commit that is gone fails and says why', async () => {
    await commit('one');
    const end = await get('ab'.repeat(20), { param_depth: '1' });
    expect(end.code).toBe(1);
    expect(end.stderr).toContain('the last commits alone could not be fetched');
    expect(end.stderr).toContain('its history was rewritten');
  });

  test.each(['0', '-1', '1x', '--upload-pack=x', '1000000'])('refuses %j as a depth', async (depth) => {
    const end = await get(await commit('one'), { param_depth: depth });
    expect(end).toMatchObject({
      code: 1,
      stderr: `git: depth is '${depth}', and must be a number from 1 to 999999\n`,
    });
  });
});

const hasRepository = async (path: string): Promise<boolean> =>
  (await stat(join(folder, 'app', path, '.git')).catch(() => undefined)) !== undefined;

describe('a get with submodules', () => {
  const withSubmodules = { param_submodules: 'true' };

  test('fetches submodules and their submodules, also by relative addresses, with the token of their host', async () => {
    await commit('one');
    await Promise.all(['private-a', 'private-b'].map(createRepository));
    await addSubmodule('private-a', 'in ner', 'private-b', '../private-b.git');
    const id = await addSubmodule('origin', 'deep/outer', 'private-a', '../private-a.git');
    expect(await get(id, { ...withSubmodules, param_token: TOKEN })).toMatchObject({ code: 0 });
    expect([await hasRepository('deep/outer'), await hasRepository('deep/outer/in ner')]).toEqual([
      true,
      true,
    ]);
    expect(await inClone('status', '--porcelain')).toBe('');
  });

  test('fetches the submodules with the depth too', async () => {
    await commit('one');
    await createRepository('lib');
    const id = await addSubmodule('origin', 'lib', 'lib', '../lib.git');
    expect(await get(id, { ...withSubmodules, param_depth: '1' })).toMatchObject({ code: 0 });
    expect(await hasRepository('lib')).toBe(true);
  });

  test('fetches a submodule with an address for SSH on the same host over https', async () => {
    await commit('one');
    await createRepository('private-a');
    const id = await addSubmodule('origin', 'lib', 'private-a', 'git@127.0.0.1:private-a.git');
    const end = await get(id, { ...withSubmodules, param_token: TOKEN, GIT_ALLOW_PROTOCOL: 'http' });
    expect(end).toMatchObject({ code: 0 });
    expect(await hasRepository('lib')).toBe(true);
  });

  test('gives the token to no other host', async () => {
    await commit('one');
    await createRepository('private-a');
    const elsewhere = `http://localhost:${port()}/private-a.git`;
    const id = await addSubmodule('origin', 'lib', 'private-a', elsewhere);
    const end = await get(id, { ...withSubmodules, param_token: TOKEN });
    expect(end.code).not.toBe(0);
    expect(end.stderr).toContain('git: the submodules could not be fetched');
    const requestsElsewhere = seen.filter(({ host }) => host.startsWith('localhost'));
    expect(requestsElsewhere.map(({ authorization }) => authorization)).toEqual(
      requestsElsewhere.map(() => ''),
    );
    expect(requestsElsewhere).not.toEqual([]);
  });

  test.each(['/etc', 'file:///etc', 'ext::touch x', '--upload-pack=touch x', 'ssh://other.example/x'])(
    'refuses a submodule with the address %j',
    async (address) => {
      await commit('one');
      await createRepository('lib');
      const id = await addSubmodule('origin', 'lib', 'lib', address);
      const end = await get(id, { ...withSubmodules, GIT_ALLOW_PROTOCOL: 'http' });
      expect(end.code).not.toBe(0);
      expect(await hasRepository('lib')).toBe(false);
      expect(await readFile(join(folder, 'x'), 'utf8').catch(() => 'absent')).toBe('absent');
    },
  );

  test('refuses submodules that are nested too deeply', async () => {
    await commit('one');
    const names = Array.from({ length: 11 }, (_, at) => `level-${at}`);
    await Promise.all(names.map(createRepository));
    for (const [at, name] of names.entries()) {
      const inner = names[at - 1];
      if (inner !== undefined) await addSubmodule(name, 's', inner, `../${inner}.git`);
    }
    const id = await addSubmodule('origin', 's', 'level-10', '../level-10.git');
    const end = await get(id, withSubmodules);
    expect(end).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('submodules are nested more than 10 deep'),
    });
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { check } from './git-check.ts';
import { pull } from './git-pull.ts';

const TOKEN = 'tok"en $(touch /tmp/never) \\ end';
const [ONE, TWO] = ['1'.repeat(40), '2'.repeat(40)];

let root = '';
let work = '';
let origin = '';
let server: Server;
let host = '';
/** What the forge answers, by path and query. */
let answers: Record<string, unknown> = {};
let requests: { path: string; authorization: string; privateToken: string }[] = [];

const identity = {
  GIT_AUTHOR_NAME: 'Ann',
  GIT_AUTHOR_EMAIL: 'ann@example.com',
  GIT_COMMITTER_NAME: 'Ann',
  GIT_COMMITTER_EMAIL: 'ann@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ALLOW_PROTOCOL: 'file:http',
};

function git(...args: string[]): string {
  const environment = { PATH: env['PATH'], HOME: root, ...identity };
  return execFileSync('git', args, { cwd: root, env: environment, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function gitAt(date: number, ...args: string[]): string {
  const dates = { GIT_AUTHOR_DATE: `@${date} +0000`, GIT_COMMITTER_DATE: `@${date} +0000` };
  const environment = { PATH: env['PATH'], HOME: root, ...identity, ...dates };
  return execFileSync('git', args, { cwd: root, env: environment, encoding: 'utf8' }).trim();
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    requests.push({
      path,
      authorization: request.headers.authorization ?? '',
      privateToken: String(request.headers['private-token'] ?? ''),
    });
    const body = answers[path];
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
});
afterAll(async () => new Promise((resolve) => server.close(resolve)));

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'millrace-forge-'));
  work = join(root, 'work');
  origin = join(root, 'origin.git');
  execFileSync('mkdir', [work]);
  git('init', '-q', '--bare', '-b', 'main', origin);
  answers = {};
  requests = [];
});

afterEach(() => rm(root, { recursive: true }));

const run = (script: string, variables: Record<string, string>): Promise<ScriptEnd> =>
  runScript(script, work, { ...identity, param_token: TOKEN, ...variables });

/** A commit on top of `base`, pushed under `ref`. */
async function commit(message: string, ref: string, date = 1_700_000_000): Promise<string> {
  const clone = await mkdtemp(join(root, 'clone-'));
  git('clone', '-q', origin, clone);
  await writeFile(join(clone, 'file'), message);
  git('-C', clone, 'add', 'file');
  gitAt(date, '-C', clone, 'commit', '-q', '-m', message);
  git('-C', clone, 'push', '-q', 'origin', `HEAD:${ref}`);
  return git('-C', clone, 'rev-parse', 'HEAD');
}

describe('the newest commit of a branch', () => {
  test.each([
    ['forge_a', '/api/v3/repos/o/r/commits?per_page=1&sha=a%2Fb', [{ sha: ONE }]],
    ['github', '/api/v3/repos/o/r/commits?per_page=1&sha=a%2Fb', [{ sha: ONE }]],
    [
      'forge_b',
      '/api/v4/projects/o%2Fr/repository/commits?per_page=1&ref_name=refs%2Fheads%2Fa%2Fb',
      [{ id: ONE }],
    ],
    [
      'gitlab',
      '/api/v4/projects/o%2Fr/repository/commits?per_page=1&ref_name=refs%2Fheads%2Fa%2Fb',
      [{ id: ONE }],
    ],
    ['forge_c', '/api/v1/repos/o/r/commits?limit=1&sha=refs%2Fheads%2Fa%2Fb', [{ sha: ONE }]],
    ['forgejo', '/api/v1/repos/o/r/commits?limit=1&sha=refs%2Fheads%2Fa%2Fb', [{ sha: ONE }]],
  ])('comes from %s', async (provider, path, answer) => {
    answers = { [path]: answer };
    const url = `http://user@${host}/o/r.git`;
    const end = await run(check, { param_url: url, param_provider: provider, param_branch: 'a/b' });
    expect(end).toMatchObject({ code: 0, stdout: `[{"ref":"${ONE}"}]\n` });
    const isGitLab = path.includes('/v4/');
    expect(requests).toEqual([
      { path, authorization: isGitLab ? '' : `token ${TOKEN}`, privateToken: isGitLab ? TOKEN : '' },
    ]);
  });

  test('of an unknown host is requested from one forge after the other', async () => {
    answers = { '/api/v1/repos/o/r/commits?limit=1': [{ sha: TWO }] };
    const end = await run(check, { param_url: `http://${host}/o/r` });
    expect(end.stdout).toBe(`[{"ref":"${TWO}"}]\n`);
    expect(requests.map(({ path }) => path.slice(0, 7))).toEqual(['/api/v4', '/api/v1']);
  });

  test('comes from git if no forge answers, and always without a token', async () => {
    const id = await commit('one', 'refs/heads/main');
    expect((await run(check, { param_url: origin })).stdout).toBe(`[{"ref":"${id}"}]\n`);
    const end = await run(check, { param_url: `http://${host}/o/r`, param_token: '' });
    expect(end.code).not.toBe(0);
    expect(requests.filter(({ path }) => path.startsWith('/api'))).toEqual([]);
  });

  test('does not come from an invalid answer of the forge', async () => {
    answers = { '/api/v1/repos/o/r/commits?limit=1': [{ sha: '$(id)' }] };
    const end = await run(check, { param_url: `http://${host}/o/r`, param_provider: 'forge_c' });
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is not a commit') });
  });
});

describe('the commits since the last check', () => {
  const [THREE, FOUR, SIDE] = ['3'.repeat(40), '4'.repeat(40), 'a'.repeat(40)];
  /** `FOUR` is a merge of a side branch. The message of `THREE` asks to skip CI. */
  const history: [id: string, parents: string[], message: string][] = [
    [FOUR, [THREE, SIDE], 'Merge'],
    [SIDE, [ONE], 'on the side'],
    [THREE, [TWO], 'three [Skip CI]'],
    [TWO, [ONE], 'two'],
  ];
  const inGitHub = history.map(([sha, parents, message]) => ({
    sha,
    parents: parents.map((id) => ({ sha: id })),
    commit: { message },
  }));
  const inGitLab = history.map(([id, parents, message]) => ({ id, parent_ids: parents, message }));
  const paths: Record<string, string> = {
    github: '/api/v3/repos/o/r/commits?per_page=30',
    gitlab: '/api/v4/projects/o%2Fr/repository/commits?per_page=30',
    gitea: '/api/v1/repos/o/r/commits?limit=30&stat=false&verification=false&files=false',
  };
  const checkFrom = async (provider: string, variables: Record<string, string> = {}): Promise<ScriptEnd> => {
    answers = { [paths[provider] ?? '']: provider === 'gitlab' ? inGitLab : inGitHub };
    const known = { param_url: `http://${host}/o/r.git`, param_provider: provider, version_ref: ONE };
    return await run(check, { ...known, ...variables });
  };

  test.each(Object.keys(paths))(
    'come from %s with one request: a merge is one commit, and skipped commits are left out',
    async (name) => {
      const end = await checkFrom(name);
      expect(end).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(end.stdout)).toEqual([{ ref: TWO }, { ref: FOUR }]);
      expect(requests.map(({ path }) => path)).toEqual([paths[name]]);
    },
  );

  test('include commits that ask to skip CI if skip_ci is false', async () => {
    const end = await checkFrom('gitea', { param_skip_ci: 'false' });
    expect(JSON.parse(end.stdout)).toEqual([{ ref: TWO }, { ref: THREE }, { ref: FOUR }]);
  });

  test.each([
    ['the answer does not reach the last version', { version_ref: '9'.repeat(40) }],
    ['the last version was on a side branch', { version_ref: SIDE }],
  ])('come from git if %s', async (_, variables) => {
    // There is no repository here, so git fails.
    expect(await checkFrom('github', variables)).toMatchObject({ code: 1, stdout: '' });
    expect(requests.map(({ path }) => path.replace(/\?.*/, ''))).toContain('/o/r.git/info/refs');
  });
});

const repo = { full_name: 'o/r' };
const pullRequest = (number: number, sha: string, head: object): object => ({
  number,
  head: { sha, label: 'own', ref: 'own', repo, ...head },
  base: { repo },
});
const mergeRequest = (iid: number, sha: string, source: object): object => ({
  iid,
  sha,
  source_branch: 'own',
  source_project_id: 1,
  target_project_id: 1,
  ...source,
});

describe('pull requests as versions', () => {
  describe('that are not certainly from a branch of the repository', () => {
    const [GITHUB, GITLAB, GITEA] = [
      '/api/v3/repos/o/r/pulls?state=open&sort=updated&direction=desc&per_page=100&page=1',
      '/api/v4/projects/o%2Fr/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=100&page=1',
      '/api/v1/repos/o/r/pulls?state=open&sort=recentupdate&limit=50&page=1',
    ];
    const rows: [title: string, provider: string, path: string, answer: object[]][] = [
      ['of a fork in forge_a that is gone', 'github', GITHUB, [pullRequest(2, TWO, { repo: null })]],
      [
        'of a fork in forge_b that is gone',
        'gitlab',
        GITLAB,
        [mergeRequest(2, TWO, { source_project_id: null })],
      ],
      // Anyone who may read the repository can push these without a fork, with the AGit flow.
      ['pushed for review', 'gitea', GITEA, [pullRequest(2, TWO, { label: '', ref: 'refs/pull/2/head' })]],
      ['without a label', 'gitea', GITEA, [pullRequest(2, TWO, { label: '' })]],
      ['with a ref that is not a branch', 'gitea', GITEA, [pullRequest(2, TWO, { ref: 'refs/for/main' })]],
      ['of forge_a without a branch', 'github', GITHUB, [pullRequest(2, TWO, { ref: null })]],
      ['of forge_b without a branch', 'gitlab', GITLAB, [mergeRequest(2, TWO, { source_branch: '' })]],
    ];
    test.each(rows)(
      '%s are left out, and are marked if forks are included',
      async (_title, provider, path, answer) => {
        const own = provider === 'gitlab' ? mergeRequest(1, ONE, {}) : pullRequest(1, ONE, {});
        answers = { [path]: [...answer, own] };
        const params = { param_url: `http://${host}/o/r`, param_provider: provider, param_pr: 'true' };
        expect(JSON.parse((await run(check, params)).stdout)).toEqual([{ ref: ONE, pr: '1' }]);
        expect(JSON.parse((await run(check, { ...params, param_forks: 'true' })).stdout)).toEqual([
          { ref: ONE, pr: '1' },
          { ref: TWO, pr: '2', fork: 'true' },
        ]);
      },
    );
  });

  test('are none if the forge has none', async () => {
    answers = { '/api/v1/repos/o/r/pulls?state=open&sort=recentupdate&limit=50&page=1': [] };
    const params = { param_url: `http://${host}/o/r`, param_provider: 'gitea', param_pr: 'true' };
    expect(await run(check, params)).toMatchObject({ code: 0, stdout: '[]\n' });
  });

  test.each<[title: string, variables: Record<string, string>, message: string]>([
    ['a token', { param_token: '' }, 'pr needs the parameter token'],
    ['a provider', {}, 'set the parameter provider'],
    ['an answer', { param_provider: 'forge_a' }, 'does not answer with open requests (status 404)'],
    ['a known provider', { param_provider: 'svn' }, "the provider 'svn' is not known"],
  ])('need %s', async (_title, variables, message) => {
    const end = await run(check, { param_url: `http://${host}/o/r`, param_pr: 'true', ...variables });
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
  });

  test('are fetched by their number', async () => {
    await commit('one', 'refs/heads/main');
    const id = await commit('two', 'refs/merge-requests/7/head');
    const params = { param_url: origin, param_name: 'app', param_branch: 'main' };
    const end = await run(pull, { ...params, version_ref: id, version_pr: '7' });
    expect(end).toMatchObject({ code: 0, stdout: '' });
    expect(await readFile(join(work, 'app/file'), 'utf8')).toBe('two');
    expect(git('-C', join(work, 'app'), 'rev-parse', 'main')).not.toBe(id);
  });

  test('need a number', async () => {
    const params = { param_url: origin, param_name: 'app', version_ref: ONE, version_pr: '7/../../x' };
    await commit('one', 'refs/heads/main');
    expect((await run(pull, params)).stderr).toContain('is not the number of a request');
  });
});

/**
 * Creates annotated and lightweight tags whose order by time is not that by name. Returns the commit of each
 * tag.
 */
async function createTags(): Promise<Record<string, string>> {
  const old = await commit('one', 'refs/heads/main', 1_600_000_000);
  git('-C', origin, 'tag', 'v9', old);
  const middle = await commit('two', 'refs/heads/main', 1_600_000_100);
  gitAt(1_600_000_300, '-C', origin, 'tag', '-a', '-m', 'release', 'v2', middle);
  const last = await commit('three', 'refs/heads/main', 1_600_000_400);
  git('-C', origin, 'tag', 'a"b', last);
  return { v9: old, v2: middle, 'a"b': last };
}
const params = (): Record<string, string> => ({ param_url: origin, param_tag: 'true' });
const tagsOf = ({ stdout }: ScriptEnd): unknown => JSON.parse(stdout);

describe('tags as versions', () => {
  test('are only the newest tag at the first check', async () => {
    const ids = await createTags();
    expect(tagsOf(await run(check, params()))).toEqual([{ ref: ids['a"b'], tag: 'a"b' }]);
  });

  test('are the tags created after the last known one, oldest first', async () => {
    const ids = await createTags();
    const end = await run(check, { ...params(), version_tag: 'v9', version_ref: ids['v9'] ?? '' });
    expect(tagsOf(end)).toEqual([
      { ref: ids['v2'], tag: 'v2' },
      { ref: ids['a"b'], tag: 'a"b' },
    ]);
    const last = await run(check, { ...params(), version_tag: 'a"b', version_ref: ids['a"b'] ?? '' });
    expect(tagsOf(last)).toEqual([]);
  });

  test('are reported again after they moved', async () => {
    const ids = await createTags();
    const end = await run(check, { ...params(), version_tag: 'a"b', version_ref: ONE });
    expect(tagsOf(end)).toEqual([{ ref: ids['a"b'], tag: 'a"b' }]);
  });

  test('start with the newest tag again if the known one is gone', async () => {
    await createTags();
    const end = await run(check, { ...params(), version_tag: 'gone', version_ref: ONE });
    expect(tagsOf(end)).toHaveLength(1);
  });

  test('are only those of commits, and name the commit of a tag of a tag', async () => {
    const id = await commit('one', 'refs/heads/main');
    gitAt(1_700_000_050, '-C', origin, 'tag', '-a', '-m', 'release', 'inner', id);
    gitAt(1_700_000_100, '-C', origin, 'tag', '-a', '-m', 'signed', 'outer', 'inner');
    gitAt(1_700_000_200, '-C', origin, 'tag', '-a', '-m', 'the key', 'key', `${id}:file`);
    gitAt(1_700_000_300, '-C', origin, 'tag', '-a', '-m', 'the files', 'files', `${id}^{tree}`);
    git('-C', origin, 'tag', 'lightweight-key', `${id}:file`);
    expect(tagsOf(await run(check, params()))).toEqual([{ ref: id, tag: 'outer' }]);
  });

  test('are left out if their names are not UTF-8', async () => {
    const id = await commit('one', 'refs/heads/main');
    git('-C', origin, 'tag', 'v1', id);
    const latin1 = `git -C "$1" update-ref "refs/tags/$(printf 'w\\374rfel')" "$2"`;
    execFileSync('/bin/sh', ['-ec', latin1, 'sh', origin, id]);
    expect(tagsOf(await run(check, params()))).toEqual([{ ref: id, tag: 'v1' }]);
  });

  test('are none in a repository without tags', async () => {
    await commit('one', 'refs/heads/main');
    expect(tagsOf(await run(check, params()))).toEqual([]);
  });

  test('need a token', async () => {
    const end = await run(check, { ...params(), param_token: '' });
    expect(end).toMatchObject({ code: 1, stderr: 'git: tag needs the parameter token\n' });
  });

  test('can be read with git describe in the clone', async () => {
    const ids = await createTags();
    const version = { version_ref: ids['v2'] ?? '', version_tag: 'v2' };
    await run(pull, { param_url: origin, param_name: 'app', ...version });
    expect(git('-C', join(work, 'app'), 'describe', '--tags', '--exact-match')).toBe('v2');
    expect(git('-C', join(work, 'app'), 'rev-parse', 'HEAD')).toBe(ids['v2']);
  });
});

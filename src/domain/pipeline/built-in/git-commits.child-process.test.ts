import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  commit,
  git,
  httpUrl,
  origin,
  root,
  run,
  runProgram,
  useGitServer,
} from '#testing/pipelines/git-under-test.ts';
import { check } from './git-check.ts';

useGitServer();

const prefixed = (params: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(params).map(([name, value]) => [`param_${name}`, value]));

/** The commits that a check prints after `known`. */
async function checkAfter(
  known: string,
  url = origin,
  branch = '',
  params: Record<string, string> = {},
): Promise<unknown> {
  const { code, stdout, stderr } = await run(check, {
    param_url: url,
    param_branch: branch,
    version_ref: known,
    ...prefixed(params),
  });
  expect([code, stderr]).toEqual([0, '']);
  const versions: { ref: string }[] = JSON.parse(stdout);
  return versions.map(({ ref }) => ref);
}

/** Pushes a commit that adds one file, and returns the commit. */
async function commitFile(path: string): Promise<string> {
  const work = await mkdtemp(join(root, 'commit-'));
  await git('clone', '-q', origin, work);
  await mkdir(dirname(join(work, path)), { recursive: true });
  await writeFile(join(work, path), path);
  await git('-C', work, 'add', '--', path);
  await git('-C', work, 'commit', '-q', '-m', path);
  await git('-C', work, 'push', '-q', 'origin', 'HEAD:main');
  return git('-C', work, 'rev-parse', 'HEAD');
}

/** Adds commits without changes to the branch main. Returns them, oldest first. */
async function addCommits(count: number): Promise<string[]> {
  const script = `
    tree=$(git -C "$1" rev-parse "refs/heads/main^{tree}")
    tip=$(git -C "$1" rev-parse refs/heads/main)
    for number in $(seq ${count}); do
      tip=$(git -C "$1" commit-tree -m "$number" -p "$tip" "$tree")
      echo "$tip"
    done
    git -C "$1" update-ref refs/heads/main "$tip"`;
  const { stdout } = await runProgram('/bin/sh', ['-ec', script, 'sh', origin], { cwd: root });
  return stdout.trim().split('\n');
}

describe('a git check after a known commit', () => {
  test('prints every commit since then, oldest first', async () => {
    const known = await commit('one');
    const newer = [await commit('two'), await commit('three')];
    expect(await checkAfter(known)).toEqual(newer);
    expect(await checkAfter(known, httpUrl)).toEqual(newer);
  });

  test('prints that commit again if there is nothing newer', async () => {
    const known = await commit('one');
    expect(await checkAfter(known)).toEqual([known]);
  });

  test('prints the commits of its branch only', async () => {
    const known = await commit('one');
    const onTopic = await commit('two', 'topic');
    await commit('three');
    expect(await checkAfter(known, origin, 'topic')).toEqual([onTopic]);
  });

  test('prints a merge as one commit', async () => {
    const known = await commit('one');
    const topic = await commit('two', 'topic');
    const tree = await git('-C', origin, 'rev-parse', `${topic}^{tree}`);
    const merge = await git('-C', origin, 'commit-tree', '-m', 'merge', '-p', known, '-p', topic, tree);
    await git('-C', origin, 'update-ref', 'refs/heads/main', merge);
    expect(await checkAfter(known)).toEqual([merge]);
  });

  test('prints the newest hundred of many commits', async () => {
    const known = await commit('one');
    const newer = await addCommits(150);
    expect(await checkAfter(known)).toEqual(newer.slice(-100));
  });

  test('prints only the newest commit if the history was rewritten', async () => {
    const base = await commit('one');
    const gone = await commit('two');
    const id = await commit('three', 'main', base);
    const last = await commit('four');
    expect(await checkAfter(id)).toEqual([last]);
    expect(await checkAfter(gone)).toEqual([last]);
  });

  test('prints only the newest commit after a version that is not a commit', async () => {
    await commit('one');
    const id = await commit('two');
    expect(await checkAfter('--all')).toEqual([id]);
    expect(await checkAfter('0'.repeat(40))).toEqual([id]);
  });

  test.each(['[skip ci]', 'docs: [CI SKIP] x', '[no ci]'])(
    'omits a commit with %s in its message',
    async (words) => {
      const known = await commit('one');
      const newer = [await commit('two'), await commit(`three\n\n${words}`), await commit('four')];
      expect(await checkAfter(known)).toEqual([newer[0], newer[2]]);
      expect(await checkAfter(known, origin, '', { skip_ci: 'false' })).toEqual(newer);
    },
  );

  test('fetches no files', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowFilter', 'true');
    const known = await commit('one');
    await commit('two');
    const { stdout } = await run(`${check}\ngit -C "$history" count-objects -v`, {
      param_url: origin,
      version_ref: known,
    });
    expect(stdout).toContain('in-pack: 2\n');
  });
});

describe('a git check of paths', () => {
  const CHANGES = {
    code: 'src/app/main.ts',
    docs: 'docs/guide/start.md',
    readme: 'README.md',
    both: 'src/app/notes.md',
  };
  let commits: Record<string, string> = {};
  let known = '';

  beforeEach(async () => {
    commits = {};
    known = await commit('one');
    for (const [name, path] of Object.entries(CHANGES)) commits[name] = await commitFile(path);
  });

  test.each([
    ['src', '', ['code', 'both']],
    ['src/', '', ['code', 'both']],
    ['*.md', '', ['docs', 'readme', 'both']],
    ['docs/**', '', ['docs']],
    ['src, README.md', '', ['code', 'readme', 'both']],
    ['src\nREADME.md\n', '', ['code', 'readme', 'both']],
    ['src', '*.md', ['code']],
    ['', '*.md', ['code']],
    ['', 'docs,README.md', ['code', 'both']],
    ['nothing', '', []],
    ['$(touch x)', "'; touch x", []],
  ])('with paths %j and ignore_paths %j prints %j', async (paths, ignored, expected) => {
    const printed = await checkAfter(known, origin, '', { paths, ignore_paths: ignored });
    expect(printed).toEqual(expected.map((name) => commits[name]));
  });

  test('begins with the newest commit that changes something in these paths', async () => {
    expect(await checkAfter('', origin, '', { paths: 'docs' })).toEqual([commits['docs']]);
    expect(await checkAfter('', httpUrl, '', { ignore_paths: 'src,docs' })).toEqual([commits['readme']]);
  });

  test('finds a commit that is older than a hundred others', async () => {
    await addCommits(120);
    expect(await checkAfter('', origin, '', { paths: 'docs' })).toEqual([commits['docs']]);
  });

  test('refuses a path that begins with a colon', async () => {
    const outcome = await run(check, { param_url: origin, param_paths: ':(top)x' });
    expect(outcome).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('begins with a colon'),
    });
  });
});

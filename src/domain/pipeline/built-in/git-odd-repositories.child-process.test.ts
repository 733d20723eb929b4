import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  commit,
  git,
  httpUrl,
  origin,
  root,
  run,
  runProgram,
  useGitServer,
  type Outcome,
} from '#testing/pipelines/git-under-test.ts';
import { check } from './git-check.ts';

useGitServer();

/** Runs a check. Limits the address space of each of its programs to 600 MB. */
const checkInLittleMemory = (variables: Record<string, string>): Promise<Outcome> =>
  run(`ulimit -v 600000\n${check}`, variables);

async function inShell(script: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runProgram('/bin/sh', ['-ec', script, 'sh', ...args], { cwd: root });
  if (code !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** Adds commits without files to the branch main. Returns the first and the last one. */
async function importCommits(count: number): Promise<{ first: string; last: string }> {
  const script = `for number in $(seq "$2"); do
      echo "commit refs/heads/main"; echo "committer A <a@b> $((1700000000 + number)) +0000"
      echo 'data 1'; echo x
    done | git -C "$1" fast-import --quiet
    git -C "$1" rev-list --max-parents=0 main; git -C "$1" rev-parse main`;
  const [first = '', last = ''] = (await inShell(script, origin, String(count))).split('\n');
  return { first, last };
}

const versionsOf = ({ stdout }: Outcome): { ref: string; branch?: string }[] => JSON.parse(stdout);

describe('a check of a repository', () => {
  test('with 100,000 branches finds the commits of those that it follows', async () => {
    const known = await commit('one');
    const last = await commit('two');
    const refs = Array.from(
      { length: 100_000 },
      (_, at) => `${known} refs/heads/topic/${String(at).padStart(6, '0')}`,
    );
    const followed = [`${last} refs/heads/main`, `${last} refs/heads/release/1`];
    await inShell('git -C "$1" pack-refs --all; rm -rf "$1"/refs/heads/*', origin);
    await writeFile(
      join(origin, 'packed-refs'),
      `# pack-refs with: peeled fully-peeled sorted \n${[...followed, ...refs].join('\n')}\n`,
    );
    for (const url of [origin, httpUrl]) {
      const ofDefaultBranch = await checkInLittleMemory({ param_url: url, version_ref: known });
      expect(versionsOf(ofDefaultBranch)).toEqual([{ ref: last }]);
      const ofBranches = await checkInLittleMemory({
        param_url: url,
        param_branches: 'release/*, topic/09999?',
      });
      expect(versionsOf(ofBranches)).toHaveLength(11);
    }
    const tooMany = await checkInLittleMemory({ param_url: origin, param_branches: 'topic/*' });
    expect(tooMany.stderr).toBe("git: 100000 branches match 'topic/*': at most 1000 are allowed\n");
  });

  test('with 10,000 commits since the last check finds the newest hundred', async () => {
    const { first, last } = await importCommits(10_001);
    const end = await checkInLittleMemory({ param_url: httpUrl, version_ref: first });
    const versions = versionsOf(end);
    expect([versions.length, versions.at(-1)?.ref]).toEqual([100, last]);
  });

  test('with more commits since the last check than it fetches begins with the newest', async () => {
    const { first, last } = await importCommits(10_500);
    const end = await checkInLittleMemory({ param_url: httpUrl, version_ref: first });
    expect(versionsOf(end)).toEqual([{ ref: last }]);
  });

  test('follows the default branch to its new name', async () => {
    const known = await commit('one');
    await git('-C', origin, 'branch', '-m', 'main', 'trunk');
    await git('-C', origin, 'symbolic-ref', 'HEAD', 'refs/heads/trunk');
    const last = await commit('two', 'trunk', known);
    expect(versionsOf(await run(check, { param_url: origin, version_ref: known }))).toEqual([{ ref: last }]);
    const gone = await run(check, { param_url: origin, param_branch: 'main', version_ref: known });
    expect(gone).toMatchObject({ code: 1, stderr: "git: the repository has no branch 'main'\n" });
  });

  test('reads no file of the repository, not even to compare large ones', async () => {
    await git('-C', origin, 'config', 'uploadpack.allowFilter', 'true');
    const script = `
      tree=$(printf '100644 blob %s\\tlarge\\n' "$2" | git -C "$1" mktree --missing)
      one=$(git -C "$1" commit-tree -m one "$tree"); echo "$one"
      other=$(printf '100644 blob %s\\tlarge\\n' "$3" | git -C "$1" mktree --missing)
      two=$(git -C "$1" commit-tree -m two -p "$one" "$other"); echo "$two"
      git -C "$1" update-ref refs/heads/main "$two"`;
    const ids = await inShell(script, origin, 'ab'.repeat(20), 'cd'.repeat(20));
    const [one = '', two = ''] = ids.split('\n');
    for (const paths of ['', 'large'])
      expect(
        versionsOf(await checkInLittleMemory({ param_url: httpUrl, version_ref: one, param_paths: paths })),
      ).toEqual([{ ref: two }]);
  });

  test('without a commit has no version of a branch yet', async () => {
    const end = await run(check, { param_url: origin, param_branches: '**' });
    expect(end).toEqual({
      code: 0,
      stdout: '[]\n',
      stderr: "git: there is no branch that matches '**'\n",
    });
  });
});

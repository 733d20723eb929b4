import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { env } from 'node:process';
import { promisify } from 'node:util';
import type { ForgeRepository, ForgeUser, NewCommit, NewReview } from './forge-under-test.ts';

const run = promisify(execFile);

type ForgePushes = Pick<
  ForgeRepository,
  'commit' | 'commitToEach' | 'setBranch' | 'deleteBranch' | 'createTag'
>;
type Pushes = ForgePushes & {
  /** Pushes a new commit to `refs/for/main`, and returns its hash. */
  pushForReview(about: NewReview): Promise<string>;
};

/** What tests do to a forge's repository with git: each call clones it, changes it and pushes. */
export function pushedRepository(url: string, owner: ForgeUser): Pushes {
  return {
    commit: async (commit) =>
      await withClone(url, owner, async (git, folder) => await pushCommit(git, folder, commit)),
    pushForReview: async (about) =>
      await withClone(url, owner, async (git, folder) => await pushForReview(git, folder, about)),
    async commitToEach(branches) {
      await withClone(url, owner, async (git) => {
        const refspecs: string[] = [];
        for (const name of branches) {
          const commit = await git('commit-tree', '-p', 'origin/main', '-m', name, 'origin/main^{tree}');
          refspecs.push(`${commit}:refs/heads/${name}`);
        }
        await git('push', '-q', 'origin', ...refspecs);
      });
    },
    async setBranch(name, commit) {
      await withClone(url, owner, (git) => git('push', '-q', '-f', 'origin', `${commit}:refs/heads/${name}`));
    },
    async deleteBranch(name) {
      await withClone(url, owner, (git) => git('push', '-q', 'origin', `:refs/heads/${name}`));
    },
    async createTag(name, commit, message) {
      await withClone(url, owner, async (git) => {
        await git('tag', ...(message === undefined ? [] : ['-a', '-m', message]), name, commit);
        await git('push', '-q', 'origin', `refs/tags/${name}`);
      });
    },
  };
}

type Git = (...args: string[]) => Promise<string>;

async function pushCommit(git: Git, folder: string, commit: NewCommit): Promise<string> {
  const { branch = 'main', onto } = commit;
  const existing = await git('ls-remote', 'origin', `refs/heads/${branch}`);
  if (onto !== undefined) await git('checkout', '-q', '-B', branch, onto);
  else if (existing !== '') await git('checkout', '-q', '-B', branch, `origin/${branch}`);
  else await git('checkout', '-q', '-B', branch);
  const id = await addCommit(git, folder, commit);
  await git('push', '-q', '-f', 'origin', `HEAD:refs/heads/${branch}`);
  return id;
}

async function pushForReview(git: Git, folder: string, { topic, ...about }: NewReview): Promise<string> {
  await git('checkout', '-q', '--detach', 'origin/main');
  const id = await addCommit(git, folder, about);
  // Without the second option, the request's earlier commit would have to be an ancestor of the new one.
  const options = ['-o', `topic=${topic}`, '-o', 'force-push=true'];
  await git('push', '-q', ...options, 'origin', 'HEAD:refs/for/main');
  return id;
}

async function addCommit(git: Git, folder: string, { message, files }: NewCommit): Promise<string> {
  for (const [path, text] of Object.entries(files ?? { file: `${message}\n` })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await git('add', '--all');
  await git('commit', '-q', '--allow-empty', '-m', message);
  return await git('rev-parse', 'HEAD');
}

/** Runs `work` with git in a new clone that can push. */
export async function withClone<T>(
  url: string,
  owner: ForgeUser,
  work: (git: Git, folder: string) => Promise<T>,
): Promise<T> {
  const home = await mkdtemp(join(tmpdir(), 'millrace-pushes-'));
  const folder = join(home, 'clone');
  const git: Git = async (...args) =>
    (await run('git', args, { cwd: folder, env: environment(home, owner) })).stdout.trim();
  try {
    await mkdir(folder);
    await git('clone', '-q', url, '.');
    return await work(git, folder);
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

function environment(home: string, { name, token }: ForgeUser): Record<string, string> {
  return {
    PATH: env['PATH'] ?? '',
    HOME: home,
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: `${name}@example.org`,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: `${name}@example.org`,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'credential.helper',
    GIT_CONFIG_VALUE_0: '!printf "username=oauth2\\npassword=%s\\n" "$TOKEN" && :',
    TOKEN: token,
  };
}

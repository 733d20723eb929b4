import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runOrThrow } from './command.ts';

/** The date of every commit, so that the same files, message and parent always give the same commit id. */
const DATE = '2026-01-01T00:00:00Z';
const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Shop',
  GIT_AUTHOR_EMAIL: 'shop@example.org',
  GIT_AUTHOR_DATE: DATE,
  GIT_COMMITTER_NAME: 'Shop',
  GIT_COMMITTER_EMAIL: 'shop@example.org',
  GIT_COMMITTER_DATE: DATE,
  no_proxy: '*',
};

/**
 * Pushes one commit with these files to the branch main of an empty repository, and returns the commit's id.
 * Files that begin with `#!` become executable.
 */
export async function pushFiles(url: string, files: Readonly<Record<string, string>>): Promise<string> {
  return await inTemporaryFolder(async (git, folder) => {
    await git('init', '--quiet', '--initial-branch=main');
    await git('remote', 'add', 'origin', url);
    return await pushCommitOf({ git, folder, files, message: 'Begin' });
  });
}

/** Pushes a commit that changes these files to the branch main, and returns the commit's id. */
export async function pushChange(
  url: string,
  files: Readonly<Record<string, string>>,
  message: string,
): Promise<string> {
  return await inTemporaryFolder(async (git, folder) => {
    await git('clone', '--quiet', '--branch=main', url, '.');
    return await pushCommitOf({ git, folder, files, message });
  });
}

type Git = (...args: string[]) => Promise<string>;

async function inTemporaryFolder<T>(work: (git: Git, folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-push-'));
  try {
    return await work((...args) => runOrThrow('git', ['-C', folder, ...args], { env: ENVIRONMENT }), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Commit {
  git: Git;
  folder: string;
  files: Readonly<Record<string, string>>;
  message: string;
}

async function pushCommitOf({ git, folder, files, message }: Commit): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await chmod(file, text.startsWith('#!') ? 0o755 : 0o644);
  }
  await git('add', '--all');
  await git('commit', '--quiet', '--message', message);
  await git('push', '--quiet', 'origin', 'main');
  return (await git('rev-parse', 'HEAD')).trim();
}

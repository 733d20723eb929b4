import { appendFile, cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '#tools/cluster/run.ts';

const GIT_SETTINGS = [
  '-c',
  'user.name=Demonstration',
  '-c',
  'user.email=demo@example.org',
  '-c',
  'commit.gpgsign=false',
];
/** Ignores the machine's git settings, and uses no proxy to the cluster. */
const ENVIRONMENT = {
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  no_proxy: '*',
};

const git = (args: readonly string[]): Promise<string> =>
  run('git', [...GIT_SETTINGS, ...args], { env: ENVIRONMENT, timeoutSeconds: 60 });

export interface PushedCommit {
  ref: string;
  subject: string;
}

/**
 * Pushes the sample application into an empty repository, or one more commit if the repository has it
 * already.
 */
export async function pushCommit(url: string): Promise<PushedCommit> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-demo-'));
  const inFolder = (...args: string[]): Promise<string> => git(['-C', folder, ...args]);
  try {
    await git(['clone', '--quiet', url, folder]);
    const empty = (await git(['ls-remote', '--heads', url, 'main'])) === '';
    const subject = empty ? 'Begin the sample application' : `Change something (${new Date().toISOString()})`;
    await cp(join(import.meta.dirname, 'repository'), folder, { recursive: true });
    if (!empty) await appendFile(join(folder, 'CHANGES.md'), `- ${subject}\n`);
    await inFolder('checkout', '--quiet', '-B', 'main');
    await inFolder('add', '--all');
    await inFolder('commit', '--quiet', '--message', subject);
    await inFolder('push', '--quiet', 'origin', 'main');
    return { ref: (await inFolder('rev-parse', 'HEAD')).trim(), subject };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Tags that point at a commit. */
export async function tagsOf(url: string, ref: string): Promise<string[]> {
  const lines = (await git(['ls-remote', '--tags', url])).trim().split('\n');
  const tags = lines.filter((line) => line.startsWith(ref)).map((line) => line.split('refs/tags/')[1] ?? '');
  return [...new Set(tags.map((tag) => tag.replace('^{}', '')))];
}

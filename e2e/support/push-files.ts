import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { must } from './command.ts';

/** The same files make the same commit, whenever it is made. */
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

/** Pushes one commit with these files to the branch main of an empty repository. Scripts can be executed. */
export async function pushFiles(url: string, files: Readonly<Record<string, string>>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-push-'));
  const git = (...args: string[]): Promise<string> =>
    must('git', ['-C', folder, ...args], { env: ENVIRONMENT });
  try {
    await git('init', '--quiet', '--initial-branch=main');
    for (const [path, text] of Object.entries(files)) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      await chmod(file, text.startsWith('#!') ? 0o755 : 0o644);
    }
    await git('add', '--all');
    await git('commit', '--quiet', '--message', 'Begin');
    await git('push', '--quiet', url, 'main');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

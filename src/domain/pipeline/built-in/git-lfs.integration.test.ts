import { writeFile } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ContractSetting } from '#testing/forges/contract-setting.ts';
import { startGitea, type Gitea } from '#testing/forges/gitea.ts';
import { withClone } from '#testing/forges/pushed-repository.ts';
import { installIfMissing } from '#testing/process/debian-packages.ts';

/* Files of Git LFS in a private repository of a real Gitea. */

const CONTENT = `${'0123456789abcdef'.repeat(8192)}\n`;

let forge: Gitea;
let setting: ContractSetting;
let count = 0;

beforeAll(async () => {
  await installIfMissing('/usr/bin/git-lfs', 'git-lfs');
  forge = await startGitea();
}, 600_000);
afterAll(async () => await forge.stop());
beforeEach(async () => {
  count += 1;
  setting = await ContractSetting.create(forge, { name: `large-${count}`, private: true });
});
afterEach(async () => await setting.remove());

/** Pushes a file that Git LFS stores, as a developer does, and returns the commit. */
async function pushLargeFile(): Promise<string> {
  await setting.repository.commit({
    message: 'small',
    files: { '.gitattributes': '*.bin filter=lfs -text\n' },
  });
  return await withClone(setting.repository.url, forge.owner, async (git, folder) => {
    await git('lfs', 'install', '--local');
    await writeFile(`${folder}/picture.bin`, CONTENT);
    await git('add', '--all');
    await git('commit', '-q', '-m', 'large');
    await git('push', '-q', 'origin', 'HEAD:refs/heads/main');
    return await git('rev-parse', 'HEAD');
  });
}

describe('a get of a repository with files of Git LFS', () => {
  test('fetches the files with the token, which is stored nowhere afterwards', async () => {
    const ref = await pushLargeFile();
    await setting.pull({ ref }, { lfs: 'true' });
    expect(await setting.read('picture.bin')).toBe(CONTENT);
    expect(await setting.git('config', '--list')).not.toContain(forge.owner.token);
    expect(await setting.git('status', '--porcelain')).toBe('');
  });

  test('fetches the files with a depth too', async () => {
    const ref = await pushLargeFile();
    await setting.pull({ ref }, { lfs: 'true', depth: '1' });
    expect(await setting.read('picture.bin')).toBe(CONTENT);
  });

  test('leaves the pointers of the files without `lfs`', async () => {
    const ref = await pushLargeFile();
    await setting.pull({ ref });
    expect(await setting.read('picture.bin')).toMatch(/^version https:\/\/git-lfs\.github\.com\/spec\/v1\n/);
  });
});

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ContractSetting } from './contract-setting.ts';
import type { ForgeUnderTest, ForgeUser } from './forge-under-test.ts';
import { describeRequestList, describeRequests } from './request-contract.ts';
import { describeReviews } from './review-contract.ts';
import { describeStatuses } from './status-contract.ts';

/** Returns the setting of the test that runs. */
type CurrentSetting = () => ContractSetting;

/**
 * Registers the tests of what git and commit-status expect of every forge, real or imitated. `reviews`: a
 * push to `refs/for/` opens a request.
 */
export function describeForge(
  name: string,
  start: () => Promise<ForgeUnderTest>,
  { reviews = false }: { reviews?: boolean } = {},
): void {
  describe(`The types git and commit-status, and ${name}`, () => {
    let forge: ForgeUnderTest;
    let someone: ForgeUser;
    let current: ContractSetting;
    let count = 0;
    const setting: CurrentSetting = () => current;
    beforeAll(async () => {
      forge = await start();
      someone = await forge.createUser('someone');
    });
    afterAll(async () => await forge.stop());
    afterEach(async () => {
      await current.remove();
      // If the API refuses a request, the check uses git, so its result does not show the refusal.
      expect(forge.misuse()).toEqual([]);
    });

    const group = (title: string, about: { private: boolean }, register: () => void): void => {
      describe(title, () => {
        beforeEach(async () => {
          count += 1;
          current = await ContractSetting.create(forge, { name: `app-${count}`, ...about });
        });
        register();
      });
    };
    group('commits', { private: true }, () => describeCommits(setting));
    group('branches', { private: true }, () => describeBranches(setting));
    group('a put', { private: true }, () => describePut(setting));
    group('tags', { private: true }, () => describeTags(setting));
    // A user who may not read a repository cannot fork it.
    group('requests', { private: false }, () => describeRequests(setting, () => someone));
    if (reviews)
      group('requests that are pushed for review', { private: false }, () => {
        describeReviews(setting, () => someone);
      });
    group('a list of requests', { private: true }, () => describeRequestList(setting));
    group('a status', { private: true }, () => describeStatuses(setting));
  });
}

function describeCommits(setting: CurrentSetting): void {
  test('are versions: first the newest, then every one since, oldest first', async () => {
    const { repository } = setting();
    await repository.commit({ message: 'zero' });
    const one = await repository.commit({ message: 'one' });
    expect(await setting().check()).toEqual([{ ref: one }]);
    expect(await setting().check({}, { ref: one })).toEqual([{ ref: one }]);
    const two = await repository.commit({ message: 'two' });
    const three = await repository.commit({ message: 'three' });
    expect(await setting().check({}, { ref: one })).toEqual([{ ref: two }, { ref: three }]);
  });

  test('are fetched with a token that is not in the git configuration afterwards', async () => {
    const { repository, forge } = setting();
    const one = await repository.commit({ message: 'one', files: { 'a/b': 'first' } });
    await repository.commit({ message: 'two', files: { 'a/b': 'second' } });
    await setting().pull({ ref: one });
    expect(await setting().git('rev-parse', 'HEAD')).toBe(one);
    expect(await setting().git('show', 'HEAD:a/b')).toBe('first');
    expect(await setting().git('config', '--list')).not.toContain(forge.owner.token);
  });

  test('of a private repository need the token', async () => {
    await setting().repository.commit({ message: 'one' });
    for (const token of ['', 'f'.repeat(40)]) {
      const end = await setting().runCheck({ token });
      expect(end).toMatchObject({ code: expect.any(Number), stdout: '' });
      expect(end.code).not.toBe(0);
    }
  });

  test('do not exist in an empty repository, and the check says so', async () => {
    const { code, stderr } = await setting().runCheck();
    expect(code).not.toBe(0);
    expect(stderr).toContain('the repository has no commit on its default branch yet');
  });

  test('that change nothing in paths are not versions', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one', files: { 'app/x': '1' } });
    const two = await repository.commit({ message: 'two', files: { 'app/x': '2' } });
    await repository.commit({ message: 'three', files: { 'docs/x': '1' } });
    expect(await setting().check({ paths: 'app' }, { ref: one })).toEqual([{ ref: two }]);
  });
}

function describeBranches(setting: CurrentSetting): void {
  test('have versions of their own', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    await repository.setBranch('release/1', one);
    const two = await repository.commit({ message: 'two', branch: 'release/1' });
    expect(await setting().check({ branch: 'release/1' })).toEqual([{ ref: two }]);
    expect(await setting().check()).toEqual([{ ref: one }]);
  });

  test('have versions of their own also if a tag has the same name', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    await repository.createTag('v1', one);
    await repository.setBranch('v1', one);
    const two = await repository.commit({ message: 'two', branch: 'v1' });
    const three = await repository.commit({ message: 'three', branch: 'v1' });
    expect(await setting().check({ branch: 'v1' })).toEqual([{ ref: three }]);
    expect(await setting().check({ branch: 'v1' }, { ref: one })).toEqual([{ ref: two }, { ref: three }]);
  });

  test('can be pushed by force: the version is then the new commit of the branch', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    const lost = await repository.commit({ message: 'lost' });
    const other = await repository.commit({ message: 'other', onto: one });
    expect(await setting().check({}, { ref: lost })).toEqual([{ ref: other }]);
  });

  test('can be another default branch: its commits are the versions', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    await repository.setBranch('trunk', one);
    const two = await repository.commit({ message: 'two', branch: 'trunk' });
    await repository.setDefaultBranch('trunk');
    expect(await setting().check({}, { ref: one })).toEqual([{ ref: two }]);
  });

  test('can be renamed: the default branch is then the renamed one', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    await repository.renameBranch('main', 'trunk');
    const two = await repository.commit({ message: 'two', branch: 'trunk' });
    expect(await setting().check({}, { ref: one })).toEqual([{ ref: two }]);
    const { code, stderr } = await setting().runCheck({ branch: 'main' });
    expect(code).not.toBe(0);
    expect(stderr).toContain("the repository has no branch 'main'");
  });

  test('can be deleted, and the check says so', async () => {
    const { repository } = setting();
    await repository.setBranch('old', await repository.commit({ message: 'one' }));
    await repository.deleteBranch('old');
    const { code, stderr } = await setting().runCheck({ branch: 'old' });
    expect(code).not.toBe(0);
    expect(stderr).toContain("the repository has no branch 'old'");
  });
}

function describePut(setting: CurrentSetting): void {
  test('pushes the commit of a step, which the next check finds', async () => {
    const one = await setting().repository.commit({ message: 'one' });
    await setting().pull({ ref: one });
    await setting().git('commit', '--quiet', '--allow-empty', '--message', 'by a step');
    const version = await setting().push();
    expect(version).toEqual({ ref: await setting().git('rev-parse', 'HEAD') });
    expect(await setting().check({}, { ref: one })).toEqual([version]);
  });

  test('sets a tag, which the check of tags finds', async () => {
    const one = await setting().repository.commit({ message: 'one' });
    await setting().pull({ ref: one });
    await setting().push({ tag: 'v1' });
    expect(await setting().check({ tag: 'true' })).toEqual([{ ref: one, tag: 'v1' }]);
  });

  test('does not overwrite what somebody else has pushed', async () => {
    const one = await setting().repository.commit({ message: 'one' });
    await setting().pull({ ref: one });
    const theirs = await setting().repository.commit({ message: 'theirs' });
    await setting().git('commit', '--quiet', '--allow-empty', '--message', 'by a step');
    await expect(setting().push()).rejects.toThrow();
    expect(await setting().check()).toEqual([{ ref: theirs }]);
  });
}

function describeTags(setting: CurrentSetting): void {
  const tags = { tag: 'true' };

  test('are versions: first the newest, then those since, oldest first', async () => {
    const { repository } = setting();
    const one = await repository.commit({ message: 'one' });
    await repository.createTag('v1', one);
    expect(await setting().check(tags)).toEqual([{ ref: one, tag: 'v1' }]);
    const two = await repository.commit({ message: 'two' });
    await repository.createTag('v2', two, 'annotated');
    expect(await setting().check(tags, { ref: one, tag: 'v1' })).toEqual([{ ref: two, tag: 'v2' }]);
    await setting().pull({ ref: two, tag: 'v2' });
    expect(await setting().git('describe', '--exact-match')).toBe('v2');
  });

  test('do not exist in a repository without one, and the check finds nothing', async () => {
    await setting().repository.commit({ message: 'one' });
    expect(await setting().check(tags)).toEqual([]);
  });
}

import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { ContractSetting } from './contract-setting.ts';
import type { ForgeRequest, ForgeUser, NewRequest } from './forge-under-test.ts';

/** Returns the setting of the test that runs. */
type CurrentSetting = () => ContractSetting;
type Proposed = ForgeRequest & { readonly commit: string };

/** Parameters of a git resource whose versions are pull requests. */
const requests = { pr: 'true' };

/** Opens a pull request, which GitLab calls a merge request, with a new commit. */
async function propose(
  { repository, forge }: ContractSetting,
  branch: string,
  more: Partial<NewRequest> = {},
): Promise<Proposed> {
  const { from = repository } = more;
  const commit = await from.commit({ message: branch, branch, onto: 'origin/main' });
  // So that the forge knows the order of this request and the one before.
  await sleep(forge.orderedAfterMs);
  return { commit, ...(await repository.openRequest({ title: branch, branch, ...more })) };
}

const versionOf = ({ commit, number }: Proposed): Record<string, string> => ({
  ref: commit,
  pr: String(number),
});

/** The titles go on after the word `requests`. `forkOwner`: a user who forks the repository. */
export function describeRequests(setting: CurrentSetting, forkOwner: () => ForgeUser): void {
  test('are versions while they are open, in the order of their last change', async () => {
    await setting().repository.commit({ message: 'one' });
    expect(await setting().check(requests)).toEqual([]);
    const [first, second] = [await propose(setting(), 'first'), await propose(setting(), 'second')];
    expect(await setting().check(requests)).toEqual([versionOf(first), versionOf(second)]);
    await second.close();
    expect(await setting().check(requests)).toEqual([versionOf(first)]);
    await second.reopen();
    expect(await setting().check(requests)).toEqual([versionOf(first), versionOf(second)]);
  });

  test('have a new version after a push to their branch, and then come last', async () => {
    const { repository, forge } = setting();
    await repository.commit({ message: 'one' });
    const [first, second] = [await propose(setting(), 'first'), await propose(setting(), 'second')];
    await sleep(forge.orderedAfterMs);
    const commit = await repository.commit({ message: 'more', branch: 'first' });
    const pushed = [versionOf(second), versionOf({ ...first, commit })];
    // A forge may answer the push before it updates the request.
    let found = await setting().check(requests);
    while (found[1]?.['ref'] !== commit) found = await setting().check(requests);
    expect(found).toEqual(pushed);
    await setting().pull({ ref: commit, pr: String(first.number) }, requests);
    expect(await setting().git('rev-parse', 'HEAD')).toBe(commit);
  });

  test('from forks are left out, unless `forks` is set: then they are marked', async () => {
    const { repository } = setting();
    await repository.commit({ message: 'one' });
    const from = await repository.fork(forkOwner());
    const foreign = await propose(setting(), 'theirs', { from });
    const ours = await propose(setting(), 'ours');
    expect(await setting().check(requests)).toEqual([versionOf(ours)]);
    const expected = [{ ...versionOf(foreign), fork: 'true' }, versionOf(ours)];
    expect(await setting().check({ ...requests, forks: 'true' })).toEqual(expected);
  });

  test('from forks are fetched from the repository itself', async () => {
    const { repository } = setting();
    await repository.commit({ message: 'one' });
    const { commit } = await propose(setting(), 'theirs', { from: await repository.fork(forkOwner()) });
    const [version = {}] = await setting().check({ ...requests, forks: 'true' });
    await setting().pull(version, requests);
    expect(await setting().git('rev-parse', 'HEAD')).toBe(commit);
  });
}

/** The titles go on after `a list of requests`. */
export function describeRequestList(setting: CurrentSetting): void {
  test('contains drafts too', async () => {
    await setting().repository.commit({ message: 'one' });
    const draft = await propose(setting(), 'draft', { draft: true });
    expect(await setting().check(requests)).toEqual([versionOf(draft)]);
  });

  test('contains only requests that have all labels', async () => {
    await setting().repository.commit({ message: 'one' });
    const both = await propose(setting(), 'both');
    const labelled = await propose(setting(), 'labelled');
    await both.setLabels(['run ci', 'a&b', 'more']);
    await labelled.setLabels(['run ci']);
    await propose(setting(), 'without');
    expect(await setting().check({ ...requests, labels: 'run ci, a&b' })).toEqual([versionOf(both)]);
    await both.setLabels(['a&b']);
    expect(await setting().check({ ...requests, labels: 'run ci, a&b' })).toEqual([]);
  });

  test('contains only requests into the branch, also after a rename of the branch', async () => {
    const { repository } = setting();
    const commit = await repository.commit({ message: 'one' });
    await repository.setBranch('release/1', commit);
    await repository.setBranch('release/10', commit);
    const intoRelease = await propose(setting(), 'wanted', { target: 'release/1' });
    await propose(setting(), 'other', { target: 'release/10' });
    await propose(setting(), 'usual');
    expect(await setting().check({ ...requests, branch: 'release/1' })).toEqual([versionOf(intoRelease)]);
    await repository.renameBranch('release/1', 'stable');
    expect(await setting().check({ ...requests, branch: 'release/1' })).toEqual([]);
    expect(await setting().check({ ...requests, branch: 'stable' })).toEqual([versionOf(intoRelease)]);
  });

  test('is complete even if it is longer than a page', async () => {
    const { repository, forge } = setting();
    await repository.commit({ message: 'one' });
    const branches = Array.from({ length: forge.pageSize + 1 }, (_, at) => `change-${at}`);
    await repository.commitToEach(branches);
    for (const branch of branches) await repository.openRequest({ title: branch, branch });
    const versions = await setting().check(requests);
    const numbers = versions.map(({ pr }) => Number(pr)).toSorted((a, b) => a - b);
    expect(numbers).toEqual(branches.map((_, at) => at + 1));
  });
}

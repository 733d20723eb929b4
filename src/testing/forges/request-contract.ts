import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { ContractSetting } from './contract-setting.ts';
import type { ForgeRequest, ForgeUser, NewRequest } from './forge-under-test.ts';

type Now = () => ContractSetting;
type Proposed = ForgeRequest & { readonly commit: string };

const requests = { pr: 'true' };

/** Opens a request with a new commit. */
async function propose(
  { repository, forge }: ContractSetting,
  branch: string,
  more: Partial<NewRequest> = {},
): Promise<Proposed> {
  const { from = repository } = more;
  const commit = await from.commit({ message: branch, branch, onto: 'origin/main' });
  await sleep(forge.orderedAfterMs);
  return { commit, ...(await repository.openRequest({ title: branch, branch, ...more })) };
}

const versionOf = ({ commit, number }: Proposed): Record<string, string> => ({
  ref: commit,
  pr: String(number),
});

export function describeRequests(now: Now, fork: () => ForgeUser): void {
  test('are versions while they are open, the last changed one at the end', async () => {
    await now().repository.commit({ message: 'one' });
    expect(await now().check(requests)).toEqual([]);
    const [first, second] = [await propose(now(), 'first'), await propose(now(), 'second')];
    expect(await now().check(requests)).toEqual([versionOf(first), versionOf(second)]);
    await second.close();
    expect(await now().check(requests)).toEqual([versionOf(first)]);
    await second.reopen();
    expect(await now().check(requests)).toEqual([versionOf(first), versionOf(second)]);
  });

  test('have a new version after a push to their branch, and are then at the end', async () => {
    const { repository, forge } = now();
    await repository.commit({ message: 'one' });
    const [first, second] = [await propose(now(), 'first'), await propose(now(), 'second')];
    await sleep(forge.orderedAfterMs);
    const commit = await repository.commit({ message: 'more', branch: 'first' });
    const pushed = [versionOf(second), versionOf({ ...first, commit })];
    // A forge may notice the push after it has answered.
    let found = await now().check(requests);
    while (found[1]?.['ref'] !== commit) found = await now().check(requests);
    expect(found).toEqual(pushed);
    await now().pull({ ref: commit, pr: String(first.number) }, requests);
    expect(await now().git('rev-parse', 'HEAD')).toBe(commit);
  });

  test('from forks are left out, or marked', async () => {
    const { repository } = now();
    await repository.commit({ message: 'one' });
    const from = await repository.fork(fork());
    const foreign = await propose(now(), 'theirs', { from });
    const own = await propose(now(), 'ours');
    expect(await now().check(requests)).toEqual([versionOf(own)]);
    const all = [{ ...versionOf(foreign), fork: 'true' }, versionOf(own)];
    expect(await now().check({ ...requests, forks: 'true' })).toEqual(all);
  });

  test('from forks are fetched from the repository itself', async () => {
    const { repository } = now();
    await repository.commit({ message: 'one' });
    const { commit } = await propose(now(), 'theirs', { from: await repository.fork(fork()) });
    const [version = {}] = await now().check({ ...requests, forks: 'true' });
    await now().pull(version, requests);
    expect(await now().git('rev-parse', 'HEAD')).toBe(commit);
  });
}

export function describeRequestList(now: Now): void {
  test('has drafts too', async () => {
    await now().repository.commit({ message: 'one' });
    const draft = await propose(now(), 'draft', { draft: true });
    expect(await now().check(requests)).toEqual([versionOf(draft)]);
  });

  test('has those that have all labels', async () => {
    await now().repository.commit({ message: 'one' });
    const both = await propose(now(), 'both');
    const one = await propose(now(), 'labelled');
    await both.setLabels(['run ci', 'a&b', 'more']);
    await one.setLabels(['run ci']);
    await propose(now(), 'without');
    expect(await now().check({ ...requests, labels: 'run ci, a&b' })).toEqual([versionOf(both)]);
    await both.setLabels(['a&b']);
    expect(await now().check({ ...requests, labels: 'run ci, a&b' })).toEqual([]);
  });

  test('has those into the branch, also after it was renamed', async () => {
    const { repository } = now();
    const one = await repository.commit({ message: 'one' });
    await repository.setBranch('release/1', one);
    await repository.setBranch('release/10', one);
    const wanted = await propose(now(), 'wanted', { target: 'release/1' });
    await propose(now(), 'other', { target: 'release/10' });
    await propose(now(), 'usual');
    expect(await now().check({ ...requests, branch: 'release/1' })).toEqual([versionOf(wanted)]);
    await repository.renameBranch('release/1', 'stable');
    expect(await now().check({ ...requests, branch: 'release/1' })).toEqual([]);
    expect(await now().check({ ...requests, branch: 'stable' })).toEqual([versionOf(wanted)]);
  });

  test('is longer than a page', async () => {
    const { repository, forge } = now();
    await repository.commit({ message: 'one' });
    const branches = Array.from({ length: forge.pageSize + 1 }, (_, at) => `change-${at}`);
    await repository.commitToEach(branches);
    for (const branch of branches) await repository.openRequest({ title: branch, branch });
    const found = await now().check(requests);
    const numbers = found.map(({ pr }) => Number(pr)).toSorted((one, other) => one - other);
    expect(numbers).toEqual(branches.map((_, at) => at + 1));
  });
}

import { expect, test } from '@jest/globals';
import type { Pipeline } from '#domain/pipeline/pipeline.ts';
import { whyWithoutSecrets } from '#domain/planning/withhold-secrets.ts';
import type { ContractSetting } from './contract-setting.ts';
import type { ForgeReview, ForgeUser } from './forge-under-test.ts';

/*
 * Anyone who may read a repository of Gitea or Forgejo can push to `refs/for/main`. The API describes such a
 * request as one of the repository itself, but its author decides what it contains.
 */

/** Returns the setting of the test that runs. */
type CurrentSetting = () => ContractSetting;
type Version = Readonly<Record<string, string>>;

const requests = { pr: 'true' };
const withForks = { ...requests, forks: 'true' };

const PIPELINE: Pipeline = {
  resourceTypes: [{ name: 'git', builtIn: true, params: [], cache: false }],
  resources: [{ name: 'git.app', type: 'git', label: 'app', params: {}, tags: [], cache: false }],
  jobs: [
    {
      name: 'unit',
      steps: [{ kind: 'get', name: 'app', resource: 'git.app', trigger: true, passed: [] }],
    },
  ],
};
const getsSecrets = (version: Version): boolean =>
  whyWithoutSecrets(PIPELINE, 'unit', [version]) === undefined;

const ownVersion = ({ commit, number }: ForgeReview): Version => ({ ref: commit, pr: String(number) });
const foreignVersion = (review: ForgeReview): Version => ({ ...ownVersion(review), fork: 'true' });
const byNumber = (versions: readonly Version[]): Version[] =>
  versions.toSorted((a, b) => Number(a['pr']) - Number(b['pr']));

/** Opens a request from a branch of the repository. */
async function proposeOwn({ repository }: ContractSetting, branch: string): Promise<ForgeReview> {
  const commit = await repository.commit({ message: branch, branch, onto: 'origin/main' });
  return { commit, number: (await repository.openRequest({ title: branch, branch })).number };
}

export function describeReviews(setting: CurrentSetting, reader: () => ForgeUser): void {
  test('of a user who may only read are left out, or with `forks` are marked', async () => {
    const { repository } = setting();
    await repository.commit({ message: 'one' });
    const theirs = await repository.pushForReview(reader(), { topic: 'fix', message: 'theirs' });
    const ours = await proposeOwn(setting(), 'ours');
    expect(await setting().check(requests)).toEqual([ownVersion(ours)]);
    const all = byNumber(await setting().check(withForks));
    expect(all).toEqual([foreignVersion(theirs), ownVersion(ours)]);
    expect(all.map(getsSecrets)).toEqual([false, true]);
  });

  test('are marked also if a branch of the repository has the name of the topic', async () => {
    const { repository, forge } = setting();
    const one = await repository.commit({ message: 'one' });
    for (const user of [reader(), forge.owner]) await repository.setBranch(`${user.name}/fix`, one);
    const theirs = await repository.pushForReview(reader(), { topic: 'fix', message: 'theirs' });
    const ours = await repository.pushForReview(forge.owner, { topic: 'fix', message: 'ours' });
    expect(await setting().check(requests)).toEqual([]);
    const all = byNumber(await setting().check(withForks));
    expect(all).toEqual([foreignVersion(theirs), foreignVersion(ours)]);
    expect(all.map(getsSecrets)).toEqual([false, false]);
  });

  test('are marked after a further push, and are fetched from the repository', async () => {
    const { repository } = setting();
    await repository.commit({ message: 'one' });
    const first = await repository.pushForReview(reader(), { topic: 'fix', message: 'first' });
    const second = await repository.pushForReview(reader(), { topic: 'fix', message: 'second' });
    expect(second.number).toBe(first.number);
    const [version = {}, ...others] = await setting().check(withForks);
    expect([version, ...others]).toEqual([foreignVersion(second)]);
    await setting().pull(version, withForks);
    expect(await setting().git('rev-parse', 'HEAD')).toBe(second.commit);
  });
}

import { expect, test } from '@jest/globals';
import type { ContractSetting } from './contract-setting.ts';
import type { CommitStatus, ForgeKind } from './forge-under-test.ts';

type Now = () => ContractSetting;
type Step = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

const gitea = {
  queued: 'pending',
  running: 'pending',
  succeeded: 'success',
  failed: 'failure',
  cancelled: 'error',
} as const;
const WORDS: Readonly<Record<ForgeKind, Readonly<Record<Step, string>>>> = {
  github: gitea,
  gitlab: { ...gitea, running: 'running', failed: 'failed', cancelled: 'canceled' },
  gitea,
  forgejo: gitea,
};
const LINK = 'https://ci.example/teams/main/pipelines/app/jobs/unit/builds/7';

async function set(now: Now, commit: string, variables: Readonly<Record<string, string>>): Promise<void> {
  expect(await now().report(commit, { BUILD_URL: LINK, ...variables })).toMatchObject({
    code: 0,
    stdout: '',
  });
}

/** The last status of each context. */
async function lastStatuses(now: Now, commit: string): Promise<Record<string, CommitStatus>> {
  const all = await now().repository.statuses(commit);
  return Object.fromEntries(all.toReversed().map((one) => [one.context, one]));
}

export function describeStatuses(now: Now): void {
  test('follows a build to its end', async () => {
    const commit = await now().repository.commit({ message: 'one' });
    const words = WORDS[now().forge.kind];
    for (const step of ['queued', 'running'] as const) {
      await set(now, commit, { notify_state: step });
      const description = `Build #7: ${step}`;
      const status = { context: 'app/unit', state: words[step], description, url: LINK };
      expect((await lastStatuses(now, commit))['app/unit']).toEqual(status);
    }
    for (const step of ['succeeded', 'failed', 'cancelled'] as const) {
      await set(now, commit, { notify_build_status: step });
      expect((await lastStatuses(now, commit))['app/unit']?.state).toBe(words[step]);
    }
  });

  test('can be set to what it is', async () => {
    const commit = await now().repository.commit({ message: 'one' });
    for (const _ of ['first', 'again']) {
      await set(now, commit, { notify_state: 'queued' });
      expect((await lastStatuses(now, commit))['app/unit']?.state).toBe('pending');
    }
  });

  test('is one of several, by their contexts', async () => {
    const commit = await now().repository.commit({ message: 'one' });
    await set(now, commit, { notify_context: 'lint', notify_build_status: 'succeeded' });
    await set(now, commit, { notify_context: 'unit', notify_build_status: 'failed' });
    const words = WORDS[now().forge.kind];
    expect(await lastStatuses(now, commit)).toMatchObject({
      lint: { state: words.succeeded },
      unit: { state: words.failed },
    });
  });

  test('has a text that is cut where it is too long, and any characters', async () => {
    const commit = await now().repository.commit({ message: 'one' });
    await set(now, commit, { notify_state: 'queued', NOTIFY_MESSAGE: `"ü" \\ & ${'x'.repeat(300)}` });
    const { description = '' } = (await lastStatuses(now, commit))['app/unit'] ?? {};
    expect(description.slice(0, 20)).toBe(`"ü" \\ & ${'x'.repeat(12)}`);
    expect(description.endsWith('x…')).toBe(true);
  });

  test('is not set with a token that the forge does not know', async () => {
    const commit = await now().repository.commit({ message: 'one' });
    const end = await now().report(commit, { param_token: 'f'.repeat(40), notify_state: 'queued' });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('the forge answered with status 401');
    expect(await now().repository.statuses(commit)).toEqual([]);
  });
}

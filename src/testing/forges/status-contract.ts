import { expect, test } from '@jest/globals';
import type { ContractSetting } from './contract-setting.ts';
import type { CommitStatus, ForgeKind } from './forge-under-test.ts';

/** Returns the setting of the test that runs. */
type CurrentSetting = () => ContractSetting;
type BuildProgress = 'queued' | 'running' | 'succeeded' | 'failed' | 'cancelled';

const gitea = {
  queued: 'pending',
  running: 'pending',
  succeeded: 'success',
  failed: 'failure',
  cancelled: 'error',
} as const;
const STATES: Readonly<Record<ForgeKind, Readonly<Record<BuildProgress, string>>>> = {
  github: gitea,
  gitlab: { ...gitea, running: 'running', failed: 'failed', cancelled: 'canceled' },
  gitea,
  forgejo: gitea,
};
const LINK = 'https://ci.example/teams/main/pipelines/app/jobs/unit/builds/7';

async function report(
  setting: CurrentSetting,
  commit: string,
  variables: Readonly<Record<string, string>>,
): Promise<void> {
  expect(await setting().report(commit, { BUILD_URL: LINK, ...variables })).toMatchObject({
    code: 0,
    stdout: '',
  });
}

/** The last status of each context. */
async function lastStatuses(setting: CurrentSetting, commit: string): Promise<Record<string, CommitStatus>> {
  const statuses = await setting().repository.statuses(commit);
  return Object.fromEntries(statuses.toReversed().map((status) => [status.context, status]));
}

export function describeStatuses(setting: CurrentSetting): void {
  test('follows a build to its end', async () => {
    const commit = await setting().repository.commit({ message: 'one' });
    const states = STATES[setting().forge.kind];
    for (const step of ['queued', 'running'] as const) {
      await report(setting, commit, { notify_state: step });
      const description = `Build #7: ${step}`;
      const status = { context: 'app/unit', state: states[step], description, url: LINK };
      expect((await lastStatuses(setting, commit))['app/unit']).toEqual(status);
    }
    for (const step of ['succeeded', 'failed', 'cancelled'] as const) {
      await report(setting, commit, { notify_build_status: step });
      expect((await lastStatuses(setting, commit))['app/unit']?.state).toBe(states[step]);
    }
  });

  test('can be set to the state that it has already', async () => {
    const commit = await setting().repository.commit({ message: 'one' });
    for (const _ of ['first', 'again']) {
      await report(setting, commit, { notify_state: 'queued' });
      expect((await lastStatuses(setting, commit))['app/unit']?.state).toBe('pending');
    }
  });

  test('is separate for each context', async () => {
    const commit = await setting().repository.commit({ message: 'one' });
    await report(setting, commit, { notify_context: 'lint', notify_build_status: 'succeeded' });
    await report(setting, commit, { notify_context: 'unit', notify_build_status: 'failed' });
    const states = STATES[setting().forge.kind];
    expect(await lastStatuses(setting, commit)).toMatchObject({
      lint: { state: states.succeeded },
      unit: { state: states.failed },
    });
  });

  test('has a description with any characters, which is cut if it is too long', async () => {
    const commit = await setting().repository.commit({ message: 'one' });
    await report(setting, commit, { notify_state: 'queued', NOTIFY_MESSAGE: `"ü" \\ & ${'x'.repeat(300)}` });
    const { description = '' } = (await lastStatuses(setting, commit))['app/unit'] ?? {};
    expect(description.slice(0, 20)).toBe(`"ü" \\ & ${'x'.repeat(12)}`);
    expect(description.endsWith('x…')).toBe(true);
  });

  test('is not set with a token that the forge does not know', async () => {
    const commit = await setting().repository.commit({ message: 'one' });
    const end = await setting().report(commit, { param_token: 'f'.repeat(40), notify_state: 'queued' });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toContain('the forge answered with status 401');
    expect(await setting().repository.statuses(commit)).toEqual([]);
  });
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { ForgeKind } from '#testing/forges/forge-under-test.ts';
import { StatusForge } from '#testing/forges/status-forge.ts';
import { runScript, type ScriptEnd } from '#testing/process/run-script.ts';
import { commitStatusScript } from './commit-status.ts';

const SHA = 'ab'.repeat(20);
const TOKEN = 'tok"en $(touch /tmp/never) \\ end';
const PAGE = 'https://ci.example/teams/main/pipelines/app/jobs/unit';

let work = '';
let forge: StatusForge;

beforeEach(async () => {
  work = await mkdtemp(join(tmpdir(), 'millrace-status-'));
});
afterEach(async () => {
  await forge.close();
  await rm(work, { recursive: true });
});

/** `provider`: the value of the parameter, which may be another name of the same kind of forge. */
async function run(
  forgeKind: ForgeKind,
  variables: Record<string, string>,
  provider: string = forgeKind,
): Promise<ScriptEnd> {
  forge = new StatusForge(forgeKind, TOKEN);
  await forge.open();
  return await runOnOpenForge(variables, provider);
}

const runOnOpenForge = (variables: Record<string, string>, provider: string): Promise<ScriptEnd> =>
  runScript(commitStatusScript, work, {
    param_url: `${forge.url}.git`,
    param_provider: provider,
    param_token: TOKEN,
    param_base_url: 'https://ci.example/',
    BUILD_TEAM_NAME: 'main',
    BUILD_PIPELINE_NAME: 'app',
    BUILD_JOB_NAME: 'unit',
    BUILD_NUMBER: '7',
    BUILD_URL: `${PAGE}/builds/7`,
    version_ref: SHA,
    ...variables,
  });

const buildStatus = (status: string, reason: string): Record<string, string> => ({
  notify_build_status: status,
  BUILD_REASON: reason,
});

describe('the status of a commit', () => {
  const cases: Record<
    string,
    [
      forgeKind: ForgeKind,
      provider: string,
      variables: Record<string, string>,
      state: string,
      description: string,
    ]
  > = {
    'on GitHub after success': [
      'github',
      'forge_a',
      buildStatus('succeeded', 'AllStepsSucceeded'),
      'success',
      'Build #7 succeeded',
    ],
    'on GitHub after a failure': [
      'github',
      'github',
      buildStatus('failed', 'StepFailed'),
      'failure',
      'Build #7 failed',
    ],
    'on GitHub after a cancel': [
      'github',
      'github',
      buildStatus('cancelled', 'Superseded'),
      'error',
      'Build #7 was cancelled (Superseded)',
    ],
    'on GitHub while a build runs': [
      'github',
      'github',
      { notify_state: 'running' },
      'pending',
      'Build #7: running',
    ],
    'on GitLab after success': [
      'gitlab',
      'forge_b',
      buildStatus('succeeded', 'AllStepsSucceeded'),
      'success',
      'Build #7 succeeded',
    ],
    'on GitLab after a failure': [
      'gitlab',
      'gitlab',
      buildStatus('failed', 'JobTimeout'),
      'failed',
      'Build #7 failed (JobTimeout)',
    ],
    'on GitLab after a cancel': [
      'gitlab',
      'gitlab',
      buildStatus('cancelled', 'Cancelled'),
      'canceled',
      'Build #7 was cancelled',
    ],
    'on GitLab while a build runs': [
      'gitlab',
      'gitlab',
      { notify_state: 'running' },
      'running',
      'Build #7: running',
    ],
    'on Gitea after success': [
      'gitea',
      'forge_c',
      buildStatus('succeeded', 'AllStepsSucceeded'),
      'success',
      'Build #7 succeeded',
    ],
    'on Gitea after a failure': [
      'gitea',
      'gitea',
      buildStatus('failed', 'PodLost'),
      'failure',
      'Build #7 failed (PodLost)',
    ],
    'on Forgejo after a cancel': [
      'forgejo',
      'forgejo',
      buildStatus('cancelled', 'Cancelled'),
      'error',
      'Build #7 was cancelled',
    ],
    'on Forgejo while a build waits': [
      'forgejo',
      'forge_d',
      buildStatus('waiting', ''),
      'pending',
      'Build #7 waits for approval',
    ],
  };
  test.each(Object.entries(cases))(
    '%s',
    async (_title, [forgeKind, provider, variables, state, description]) => {
      expect(await run(forgeKind, variables, provider)).toMatchObject({ code: 0, stdout: '' });
      const target = `${PAGE}/builds/7`;
      expect(forge.seen).toEqual([{ sha: SHA, name: 'app/unit', state, description, target }]);
    },
  );

  test('of a new version is pending, with a link to the job', async () => {
    await run('gitea', { BUILD_NUMBER: '', BUILD_URL: '' });
    expect(forge.seen).toMatchObject([
      { state: 'pending', description: 'Waiting for a build', target: PAGE },
    ]);
  });

  test('has the values that the step sets', async () => {
    const variables = {
      notify_state: 'error',
      notify_description: 'two\nlines',
      notify_head_sha: 'cd'.repeat(20),
      notify_target_url: 'https://x.example/1',
      notify_context: 'lint',
      param_context: 'all',
    };
    await run('github', variables);
    expect(forge.seen).toEqual([
      {
        sha: 'cd'.repeat(20),
        name: 'lint',
        state: 'error',
        description: 'two lines',
        target: 'https://x.example/1',
      },
    ]);
  });

  test.each<[provider: ForgeKind, longest: number]>([
    ['github', 140],
    ['gitlab', 255],
  ])('has a description within the limit of %s', async (provider, longest) => {
    await run(provider, {
      NOTIFY_MESSAGE: 'ü'.repeat(999),
      param_context: 'all',
      param_base_url: '',
      BUILD_URL: '',
    });
    expect(forge.seen).toEqual([
      { sha: SHA, name: 'all', state: 'pending', description: `${'ü'.repeat(longest - 1)}…` },
    ]);
  });

  test('does not change if GitLab refuses to set the same state again', async () => {
    await run('gitlab', {});
    expect(await runOnOpenForge({}, 'gitlab')).toMatchObject({ code: 0 });
    await runOnOpenForge({ notify_build_status: 'succeeded' }, 'gitlab');
    expect(forge.seen.map(({ state }) => state)).toEqual(['pending', 'success']);
    expect(forge.leftOpen()).toEqual([]);
  });

  test('is set by a repeated request if the forge is busy', async () => {
    forge = new StatusForge('gitea', TOKEN);
    await forge.open();
    forge.faults = [503, 429];
    expect(await runOnOpenForge({}, 'gitea')).toMatchObject({ code: 0 });
    expect(forge.seen).toHaveLength(1);
  });
});

describe('the status of a commit is not set', () => {
  test.each<[title: string, variables: Record<string, string>, message: string]>([
    ['without a commit', { version_ref: '' }, 'there is no commit to report on'],
    ['for a text that is not a commit', { version_ref: '../../x' }, 'is not a commit'],
    ['for an abbreviated commit id', { version_ref: 'abc' }, 'is not a whole commit id'],
    ['without a provider', { param_provider: '' }, 'set the parameter provider'],
    ['by an unknown provider', { param_provider: 'svn' }, "the provider 'svn' is not known"],
    ['without a token', { param_token: '' }, 'the parameter token is empty'],
    ['with a token of two lines', { param_token: 'a\nX-Other: b' }, 'control characters'],
    ['with a wrong token', { param_token: 'other' }, 'status 401'],
    ['without a url', { param_url: '' }, 'the parameter url is empty'],
    ['with a url that is not a URL', { param_url: '-x' }, 'is not an https:// or http:// URL'],
    [
      'with a url whose path has ..',
      { param_url: 'http://127.0.0.1:1/../x' },
      'does not end with <owner>/<repository>',
    ],
    [
      'with a url whose path has one part',
      { param_url: 'http://127.0.0.1:1/x' },
      'does not end with <owner>/<repository>',
    ],
    ['if nobody listens at the url', { param_url: 'http://127.0.0.1:1/o/r' }, 'cannot be reached'],
    ['with an unknown state', { notify_state: 'fine' }, "the state 'fine' is none of"],
  ])('%s', async (_title, variables, message) => {
    const end = await run('gitea', variables);
    expect(end).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(message) });
    expect(end.stderr).not.toContain(TOKEN);
  });
});

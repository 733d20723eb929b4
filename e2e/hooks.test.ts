import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { data, pipelineApi } from '#e2e/support/gateway.ts';
import { condition } from '#e2e/support/kubectl.ts';
import { get, list } from '#e2e/support/read-objects.ts';

const TEAM = teamName('e2e-hooks');

/** A resource with one version, the job that it triggers, and the hook of that job. */
const triggeredJob = (name: string, hook: string): string => `
resource "once" "${name}" {}
job "${name}" {
  get "once" "${name}" {
    trigger = true
  }
  task "run" {
    run "shell" {
      cmd = "true"
    }
  }
  ${hook}
}
`;

const config = `
resource_type "once" {
  check "shell" {
    cmd = "echo '[{\\"ref\\": \\"abc\\"}]'"
  }
}
notification_type "echo" {
  params = ["channel"]
  notify "shell" {
    cmd = "echo \\"$NOTIFY_MESSAGE to $param_channel: $notify_status of $version_ref\\""
  }
}
notification "echo" "ops" {
  message = "$BUILD_JOB_NAME of $BUILD_TEAM_NAME"
  params {
    channel = "ops"
  }
}
${triggeredJob('notified', 'on_trigger {\n    notify "echo" "ops" {\n      status = "queued"\n    }\n  }')}
${triggeredJob('bad', 'on_trigger "shell" {\n    cmd = "echo so it is >&2; exit 3"\n  }')}
${triggeredJob('long', 'on_trigger "shell" {\n    cmd = "echo begun; sleep 60"\n  }')}
${triggeredJob('stuck', 'on_trigger "docker" {\n    image = "registry.invalid/no/such:image"\n    cmd   = "true"\n  }')}
`;

beforeAll(async () => {
  await createTeam(TEAM);
  await createPipeline(TEAM, 'app', config);
}, 600_000);
afterAll(async () => await deleteTeam(TEAM), 600_000);

const api = pipelineApi(TEAM, 'app');

interface Hooks {
  ended_at: string;
  error?: string;
  results: { job: string; hook: string; error?: string; output: string }[];
}

/**
 * Waits until the build of the only version succeeds, checks that it began after the hooks ended, and returns
 * the results of the hooks.
 */
async function hooksBefore(job: string): Promise<Hooks> {
  const resource = `once.${job}`;
  const build = await buildEnded(TEAM, 'app', job, '1');
  expect(build.status).toBe('succeeded');
  const { hooks } = await data<{ hooks?: Hooks }>('GET', `${api.path}/resources/${resource}/check`);
  if (hooks === undefined) throw new Error(`no hooks of ${resource} have run`);
  expect(Date.parse(build.created_at)).toBeGreaterThanOrEqual(Date.parse(hooks.ended_at));
  return hooks;
}

test('a notification about a version is sent before its build is created, and its output is shown', async () => {
  await api.check('once.notified');
  const { error, results } = await eventually(() => hooksBefore('notified'));
  expect(error).toBeUndefined();
  expect(results).toMatchObject([
    { job: 'notified', hook: 'echo.ops', output: `notified of ${TEAM} to ops: queued of abc\n` },
  ]);
}, 600_000);

test('a hook that fails does not fail its build, and the Pipeline has the condition HooksFailed', async () => {
  await api.check('once.bad');
  const { error, results } = await eventually(() => hooksBefore('bad'));
  expect(error).toContain('The hook shell of job bad failed');
  expect(results).toMatchObject([{ error: 'exit code 3.', output: 'so it is\n' }]);
  await eventually(async () => {
    const failed = condition(await get('pipeline', 'app', '--namespace', TEAM), 'HooksFailed');
    expect(failed.message).toContain('once.bad: The hook shell of job bad failed');
  });
}, 600_000);

test('a hook that hangs or cannot start delays its build only until its time limit', async () => {
  await Promise.all([api.check('once.long'), api.check('once.stuck')]);
  await eventually(async () => {
    const waiting = `${api.path}/jobs/long/waiting`;
    const { jobs } = await data<{ jobs: { reasons: { code: string }[] }[] }>('GET', waiting);
    expect(jobs[0]?.reasons[0]?.code).toBe('HooksRunning');
  });
  expect(await eventually(() => hooksBefore('long'))).toMatchObject({
    results: [{ error: 'it took too long.', output: 'begun\n' }],
  });
  const { error, results } = await eventually(() => hooksBefore('stuck'));
  expect(error).toContain('registry.invalid/no/such:image');
  expect(results).toEqual([]);
  await eventually(async () =>
    expect(await list('pods', '--namespace', TEAM, '--selector', 'millrace.dev/kind=check')).toEqual([]),
  );
}, 600_000);

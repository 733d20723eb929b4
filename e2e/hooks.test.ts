import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '#e2e/support/eventually.ts';
import { buildEnded, createPipeline, createTeam, deleteTeam, teamName } from '#e2e/support/fixtures.ts';
import { data, pipelineApi } from '#e2e/support/gateway.ts';
import { condition, get, list } from '#e2e/support/kubectl.ts';

const TEAM = teamName('e2e-hooks');

/** A resource with one version, a job that it triggers, and the hook of that job. */
const triggered = (name: string, hook: string): string => `
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
  params = ["who"]
  notify "shell" {
    cmd = "echo \\"$NOTIFY_MESSAGE to $param_who: $notify_status of $version_ref\\""
  }
}
notification "echo" "ops" {
  message = "$BUILD_JOB_NAME of $BUILD_TEAM_NAME"
  params {
    who = "ops"
  }
}
${triggered('told', 'on_trigger {\n    notify "echo" "ops" {\n      status = "queued"\n    }\n  }')}
${triggered('bad', 'on_trigger "shell" {\n    cmd = "echo so it is >&2; exit 3"\n  }')}
${triggered('long', 'on_trigger "shell" {\n    cmd = "echo begun; sleep 60"\n  }')}
${triggered('stuck', 'on_trigger "docker" {\n    image = "registry.invalid/no/such:image"\n    cmd   = "true"\n  }')}
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
 * What came of the hooks of the one version, once its build has succeeded; the build began after their end.
 */
async function hooksBefore(job: string): Promise<Hooks> {
  const resource = `once.${job}`;
  const build = await buildEnded(TEAM, 'app', job, '1');
  expect(build.status).toBe('succeeded');
  const { hooks } = await data<{ hooks?: Hooks }>('GET', `${api.at}/resources/${resource}/check`);
  if (hooks === undefined) throw new Error(`nothing is known of the hooks of ${resource}`);
  expect(Date.parse(build.created_at)).toBeGreaterThanOrEqual(Date.parse(hooks.ended_at));
  return hooks;
}

test('a notification tells of a version before its build is made, and what it said is shown', async () => {
  await api.check('once.told');
  const { error, results } = await eventually(() => hooksBefore('told'));
  expect(error).toBeUndefined();
  expect(results).toMatchObject([
    { job: 'told', hook: 'echo.ops', output: `told of ${TEAM} to ops: queued of abc\n` },
  ]);
}, 600_000);

test('a hook that fails fails no build, and the Pipeline says so', async () => {
  await api.check('once.bad');
  const { error, results } = await eventually(() => hooksBefore('bad'));
  expect(error).toContain('The hook shell of job bad failed');
  expect(results).toMatchObject([{ error: 'exit code 3.', output: 'so it is\n' }]);
  await eventually(async () => {
    const failed = condition(await get('pipeline', 'app', '--namespace', TEAM), 'HooksFailed');
    expect(failed.message).toContain('once.bad: The hook shell of job bad failed');
  });
}, 600_000);

test('a hook that hangs and one that cannot start hold their builds for a while only', async () => {
  await Promise.all([api.check('once.long'), api.check('once.stuck')]);
  await eventually(async () => {
    const waiting = `${api.at}/jobs/long/waiting`;
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

import { tmpdir } from 'node:os';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { BuildEvent } from '#domain/build/events.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { followOn } from '#testing/stores/schedule.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/* The verbs for builds, jobs, resources and pipelines at the public gateway, over a real Postgres. */
let stores: TestStores;
let gateway: Gateway;
let saved: SavedPipeline;
let ids: number[];

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores);
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const deploy = job('deploy', task('deploy'));
  const jobs = [
    job('unit', get('git.app', { trigger: false }), task('test')),
    job('publish', get('git.app', { passed: ['unit'] }), task('push')),
    { ...deploy, approval: { label: 'go live', approvals: 1, notify: [] } },
  ];
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  ids = await recordFoundVersions(stores, saved, [{ ref: 'a1' }, { ref: 'a2' }]);
  await gateway.account('ann', { teams: { main: 'maintain' } });
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

async function run(line: string | string[], user = 'ann'): Promise<CommandResult> {
  const words = typeof line === 'string' ? line.split(' ') : line;
  const session = await gateway.session(user);
  const environment = { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: gateway.base, MILLRACE_TOKEN: session };
  return await millrace(['millrace', ...words], { environment });
}

/** Runs a command that must succeed. Returns its output. */
async function output(line: string | string[]): Promise<string> {
  const ran = await run(line);
  expect([line, ran.exit, ran.exit === 0 ? '' : ran.err]).toEqual([line, 0, '']);
  return ran.out;
}

/** Runs a command that must succeed. Returns its output, parsed as JSON. */
const json = async (line: string): Promise<unknown> => JSON.parse(await output(`${line} --output json`));

/** Runs the build that is due. Its task fails. */
async function failBuild(): Promise<void> {
  await giveTurns(stores);
  const [due] = await stores.builds.buildsToStart(1);
  if (due === undefined) throw new Error('no build is due');
  await stores.builds.podCreated(due.id, due.attempt, `pod-${due.id}`, new Date());
  const at = new Date().toISOString();
  const events: BuildEvent[] = [
    { type: 'step-started', step: '0', sequence: 1, at },
    { type: 'step-ended', step: '0', status: 'succeeded', exitCode: 0, sequence: 2, at },
    { type: 'step-started', step: '1', sequence: 3, at },
    { type: 'log', step: '1', text: 'one\ntwo\n', sequence: 4, at },
    { type: 'step-ended', step: '1', status: 'failed', exitCode: 3, sequence: 5, at },
    {
      type: 'build-ended',
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step test failed.',
      sequence: 6,
      at,
    },
  ];
  await followOn(stores, due.id, due.attempt, events);
}

test('a failed build is shown with its log, retried, and marked as a warning', async () => {
  await output('trigger app/unit --no-check');
  await failBuild();
  const shown = await output('builds get app/unit');
  expect(shown).toMatch(/^build: +app\/unit\/1\nstatus: +failed\nmessage: +Step test failed\.\n/);
  expect(shown).toMatch(/\nGET +RESOURCE +ID +VERSION\napp +git\.app +\d+ +ref=a2\n/);
  expect(shown).toMatch(/\ntask test +failed +\S.* 3\b/);
  expect(await json('builds get app/unit/1')).toMatchObject({
    number: '1',
    steps: [{ name: 'git.app' }, {}],
  });
  expect(await output('builds logs app/unit')).toBe('one\ntwo\n');
  expect(await output('builds logs app/unit#1 --timestamps')).toMatch(/^20\d\d-\S+ one\n20\d\d-\S+ two\n$/);
  expect(await output('builds retry app/unit/1')).toBe(
    `app/unit: build 1.1, ${gateway.base}/teams/main/pipelines/app/jobs/unit/builds/1.1\n`,
  );
  expect(await output('builds warn app/unit/1')).toContain('app/unit/1: a warning');
  expect(await json('builds list app/unit')).toMatchObject([
    { number: '1.1', status: 'pending' },
    { number: '1', status: 'warning', marked_warning_by: 'ann' },
  ]);
});

test('a build that has not started can be cancelled once', async () => {
  await output('trigger app/unit --no-check');
  expect(await output('builds cancel app/unit/1')).toBe(
    'app/unit/1: cancelled; the running step stops first, then hooks run\n',
  );
  expect(await json('builds get app/unit/1')).toMatchObject({ status: 'cancelled', cancelled_by: 'ann' });
  const again = await run('builds cancel app/unit/1');
  expect([again.exit, again.err]).toEqual([2, 'millrace: The build has ended: cancelled.\n']);
});

test('a build that waits for approval is approved or rejected', async () => {
  await output('trigger app/deploy --no-check');
  expect(await output('why app/deploy')).toMatch(/\ndeploy +1 +WaitingForApproval +Waiting for approval/);
  expect(await output(['builds', 'approve', 'app/deploy/1', '--message', 'looks good'])).toBe(
    'app/deploy/1: approved. Approved by 1 of 1.\n',
  );
  expect(await json('builds get app/deploy/1')).toMatchObject({ status: 'pending' });
  await output('trigger app/deploy --no-check');
  expect(await output(['builds', 'reject', 'app/deploy/2', '--message', 'not on a Friday'])).toBe(
    'app/deploy/2: rejected. Rejected by ann: not on a Friday\n',
  );
  expect(await json('builds get app/deploy/2')).toMatchObject({ status: 'failed' });
});

test('jobs and pipelines are paused and unpaused, and `why` says so', async () => {
  expect(await output('jobs pause app/unit')).toBe('app/unit: paused\n');
  expect(await output('jobs list app')).toMatch(/\nunit .*paused\n/);
  expect(await output('why app/unit')).toMatch(/^JOB +CODE +WHY\nunit +JobPaused +\S/);
  expect(await output('jobs unpause app/unit')).toBe('app/unit: unpaused\n');
  expect(await output('pipelines pause app')).toBe('main/app: paused\n');
  expect(await json('pipelines get app')).toMatchObject({ paused: true });
  expect(await output('why app')).toMatch(/\nunit +PipelinePaused .*\npublish +PipelinePaused /);
  expect(await output('pipelines unpause --name app')).toBe('main/app: unpaused\n');
  expect(await json('pipelines get app')).toMatchObject({ paused: false });
  expect(await output('why app/publish')).toMatch(/\npublish +NothingPassed +\S/);
});

test('a resource is checked, and shown with the result', async () => {
  expect(await output('resources list app')).toMatch(/^RESOURCE +VERSIONS +CHECKED.*\ngit\.app +2 +20\d\d-/);
  const ran = await run('resources check app/git.app');
  expect(ran).toMatchObject({
    exit: 0,
    out: 'app/git.app: check requested\n',
    err: 'See its result with millrace resources get app/git.app\n',
  });
  const shown = await output('resources get app/git.app');
  expect(shown).toMatch(/^name: +git\.app\nversions: +2\n/);
  expect(shown).not.toContain('webhook');
  for (const line of ['resources list app', 'resources get app/git.app'])
    expect(JSON.stringify(await json(line))).not.toMatch(/webhook_(token|secret)/);
  expect(await output('resources get app/git.app --webhook')).toMatch(
    /\nwebhook: +http:\S+\/webhooks\/\S+\nsecret: +\S/,
  );
});

test('a version is pinned, disabled, enabled and triggered', async () => {
  const [older = 0, newer = 0] = ids;
  expect(await output('resources versions app/git.app')).toMatch(
    new RegExp(`^ID +FOUND +VERSION\n${newer} +20\\S+ \\S+ +ref=a2\n${older} +20\\S+ \\S+ +ref=a1\n$`),
  );
  const limited = await run('resources versions app/git.app --limit 1');
  expect(limited.err).toBe('There are older versions: use --limit to show more than 1.\n');
  const pin = ['resources', 'pin', 'app/git.app', String(older), '--comment', 'until the fix'];
  expect(await output(pin)).toBe(`app/git.app: pinned to version ${older}\n`);
  expect(await output('resources versions app/git.app')).toMatch(
    new RegExp(`\n${older} .* pinned +ref=a1\n`),
  );
  expect(await json('resources list app')).toMatchObject([
    { pinned_version_id: older, pinned_by: 'ann', pin_comment: 'until the fix' },
  ]);
  expect(await output('resources unpin app/git.app')).toBe('app/git.app: unpinned\n');
  expect(await output(`resources disable app/git.app ${newer}`)).toContain(`version ${newer} disabled`);
  expect(await output('resources versions app/git.app')).toMatch(/ disabled +ref=a2\n/);
  await output(`resources enable app/git.app ${newer}`);
  expect(await output('resources versions app/git.app')).not.toContain('disabled');
  const triggered = await output(`resources trigger app/git.app ${older}`);
  expect(triggered).toContain(
    `app/unit: build 1, ${gateway.base}/teams/main/pipelines/app/jobs/unit/builds/1`,
  );
  expect(await json('builds get app/unit/1')).toMatchObject({ inputs: [{ version: { ref: 'a1' } }] });
});

test('the output has formats for people, shells and programs', async () => {
  expect(await output('pipelines list -o name')).toBe('pipeline/main/app\n');
  expect(await output('pipelines list -o wide')).toMatch(/ TEAM +ID\napp .* main +\d+\n$/);
  expect(await output('jobs list app -o name')).toBe(
    'job/main/app/unit\njob/main/app/publish\njob/main/app/deploy\n',
  );
  expect(await output('jobs list app -o jsonpath={.items[*].name}')).toBe('unit publish deploy');
  expect(await output('pipelines get app -o yaml')).toMatch(/\nteam: main\nname: app\n/);
  expect(await output('trigger app/unit --no-check -o jsonpath={.number}')).toBe('1');
  expect(await output('builds list app/unit -o name')).toBe('build/main/app/unit/1\n');
});

test('teams, members, users and the audit log are shown and changed', async () => {
  await gateway.account('root', { globalAdmin: true });
  await gateway.account('bob', {});
  const asRoot = async (line: string): Promise<string> => {
    const ran = await run(line, 'root');
    expect([line, ran.exit, ran.exit === 0 ? '' : ran.err]).toEqual([line, 0, '']);
    return ran.out;
  };
  expect(await output('teams list -o name')).toBe('team/main\n');
  expect(await output('teams get main')).toMatch(/^name: +main\nmembers: +1\npipelines: +1\n/);
  expect(await asRoot('members set bob --role read')).toBe('main: bob has the role read\n');
  expect(await asRoot('members set bob --role write')).toBe('main: bob has the role write\n');
  expect(await output('members list')).toMatch(/^USER +ROLE[^]*\nbob +write/);
  expect(await output('audit list --user root -o jsonpath={.items[*].actor}')).toBe('root root');
  await asRoot('members remove bob');
  expect(await output('members list -o name')).toBe('member/main/ann\n');
  expect(await asRoot('users disable bob')).toBe('bob: disabled\n');
  expect(await asRoot('users list')).toMatch(/\nbob +disabled\n/);
  expect(await asRoot('users enable bob')).toBe('bob: enabled\n');
  expect(await asRoot('users get bob -o jsonpath={.disabled}')).toBe('false');
  expect(await asRoot('audit list --installation -o jsonpath={.items[*].target}')).toMatch(/\bbob\b/);
  expect(await run('users list')).toMatchObject({ exit: 2, out: '' });
});

const REFUSED: Record<string, [line: string, message: string]> = {
  'a resource that does not exist': [
    'resources versions app/git.ap',
    'Resource git.ap of pipeline app in team main does not exist. Check the name and --team.',
  ],
  'a version that does not exist': ['resources pin app/git.app 999999', 'Version 999999 of resource git.app'],
  'a build that does not exist': ['builds retry app/unit/9', 'Build 9 of job unit'],
  'the log of a job without builds': ['builds logs app/unit', 'app/unit has no build yet: start one with'],
  'a build that does not wait': ['builds approve app/unit/1', 'Build 1 of job unit'],
  'a job that does not exist': ['why app/uni', 'Job uni of pipeline app in team main does not exist.'],
  'a pipeline that does not exist': ['pipelines pause shop', 'Pipeline shop in team main does not exist.'],
};
test.each(Object.entries(REFUSED))('%s exits with 2', async (_name, [line, message]) => {
  const ran = await run(line);
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toContain(message);
});

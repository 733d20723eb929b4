import { tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { rows } from '#adapters/database/connection/pool.ts';
import type { CheckResult } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Input } from '#domain/pipeline/pipeline.ts';
import { followBuild } from '#flows/builds/follow-build.ts';
import type { SavedPipeline } from '#flows/pipelines/ports.ts';
import { millrace, type CommandResult } from '#testing/cli/command-line.ts';
import { openGateway, type Gateway } from '#testing/gateway/gateway-under-test.ts';
import { get as getStep, job, samplePipeline, task } from '#testing/pipelines/sample-pipeline.ts';
import { endCheck } from '#testing/stores/end-check.ts';
import {
  recordFoundVersions,
  giveTurns,
  openStores,
  toSave,
  type TestStores,
} from '#testing/stores/stores.ts';

/*
 * The command line watches a build, at the public gateway over a real Postgres. The test plays the agent.
 */
const QUICK = { recheckMs: 50, heartbeatMs: 200 };

const INPUTS: Input[] = [
  { name: 'environment', type: 'string', required: true, default: '' },
  { name: 'targets', type: 'list', default: 'eu', options: ['eu', 'us'] },
];

let stores: TestStores;
let gateway: Gateway;
let ann: string;
let saved: SavedPipeline;
let build: { build: number; attempt: number };
let lastSequence = 0;

beforeAll(async () => {
  stores = await openStores();
  gateway = await openGateway(stores, { limits: QUICK });
});
beforeEach(async () => {
  await stores.empty();
  await stores.teams.saveTeam({ name: 'main', namespace: 'main' });
  const jobs = [
    job('unit', getStep('git.app', { trigger: false }), task('test')),
    job('publish', getStep('git.app', { trigger: true, passed: ['unit'] }), task('publish')),
  ];
  saved = await stores.pipelines.savePipeline(toSave(samplePipeline({ jobs })));
  await recordFoundVersions(stores, saved, [{ ref: 'a1' }]);
  await gateway.account('ann', { teams: { main: 'write' } });
  ann = await gateway.session('ann');
  lastSequence = 0;
});
afterAll(async () => {
  await gateway.close();
  await stores.close();
});

interface Running extends Promise<CommandResult> {
  /** The output of the command so far. */
  outputSoFar: { out: string; err: string };
}

function run(line: string, at = gateway): Running {
  const outputSoFar = { out: '', err: '' };
  const ran = millrace(`millrace ${line}`, {
    environment: { XDG_CONFIG_HOME: tmpdir(), MILLRACE_URL: at.base, MILLRACE_TOKEN: ann },
    out: (text) => void (outputSoFar.out += text.toString()),
    err: (text) => void (outputSoFar.err += text),
    pause: async () => await sleep(1),
  }).then(({ exit, bytes }) => ({ exit, bytes, ...outputSoFar }));
  return Object.assign(ran, { outputSoFar });
}

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await sleep(10);
}

/** Starts the build that is requested, as the operator does. */
async function start(): Promise<void> {
  await until(async () => {
    await giveTurns(stores);
    const [started] = await stores.builds.buildsToStart(10);
    if (started === undefined) return false;
    await stores.builds.podCreated(started.id, started.attempt, 'pod', new Date());
    build = { build: started.id, attempt: started.attempt };
    return true;
  });
}

async function triggerAndStart(): Promise<void> {
  expect((await run('trigger app/unit --no-check')).exit).toBe(0);
  await start();
}

type EventToSend = BuildEvent extends infer E
  ? E extends BuildEvent
    ? Omit<E, 'sequence' | 'at'>
    : never
  : never;

async function sendEvents(...events: EventToSend[]): Promise<void> {
  const at = new Date().toISOString();
  const numbered = events.map((event, index) => ({ ...event, at, sequence: lastSequence + index + 1 }));
  lastSequence += events.length;
  await followBuild(build, numbered, { builds: stores.builds, notifications: gateway.notifications });
}
const log = (text: string): EventToSend => ({ type: 'log', step: '1', text });
const done = (step: string, status: 'succeeded' | 'failed' = 'succeeded'): EventToSend =>
  status === 'succeeded'
    ? { type: 'step-ended', step, status, exitCode: 0 }
    : { type: 'step-ended', step, status, exitCode: 1 };
const ended = (outcome: 'succeeded' | 'failed'): EventToSend =>
  outcome === 'succeeded'
    ? { type: 'build-ended', outcome, reason: 'AllStepsSucceeded', message: 'All steps succeeded.' }
    : { type: 'build-ended', outcome, reason: 'StepFailed', message: 'Step test failed.' };
const EVENTS_UNTIL_TASK = [
  { type: 'step-started', step: '0' },
  done('0'),
  { type: 'step-started', step: '1' },
] as const;

const check = async (result: Pick<CheckResult, 'versions' | 'error'>): Promise<void> =>
  await endCheck({ stores, notifications: gateway.notifications }, saved, result);

describe('a trigger with a check first', () => {
  beforeEach(async () => {
    // This ends the check that `recordFoundVersions` requested.
    await check({ versions: [] });
  });

  test('starts a build with the version that the check finds', async () => {
    const triggering = run('trigger app/unit');
    await check({ versions: [{ ref: 'a2' }] });
    const { exit, out, err } = await triggering;
    expect([exit, err]).toEqual([0, '']);
    expect(out).toContain('app/unit: build 1, ');
    const built = await gateway.ask('GET /teams/main/pipelines/app/jobs/unit/builds/1', { as: ann });
    expect(built.body).toMatchObject({
      data: { inputs: [{ version: { ref: 'a2' } }], checks: [{ resource: 'git.app', result: 'checked' }] },
    });
  });

  test('says why the check failed, and starts a build with the version that was known before', async () => {
    const triggering = run('trigger app/unit');
    await check({ error: 'no such host' });
    const { exit, err } = await triggering;
    expect([exit, err]).toEqual([
      0,
      'The check of git.app failed: no such host\nThe build uses the versions that were known before.\n',
    ]);
  });
});

describe('a job with inputs', () => {
  beforeEach(async () => {
    const deploy = job('deploy', getStep('git.app', { trigger: false }), task('deploy'));
    const definition = samplePipeline({ jobs: [{ ...deploy, inputs: INPUTS }] });
    await stores.pipelines.savePipeline(toSave(definition, { digest: 'with inputs' }));
  });

  test('gives their values to its builds, and the list of builds shows them', async () => {
    const values = '--input environment=a=b --input targets=us,eu';
    expect(await run(`trigger app/deploy --no-check ${values}`)).toMatchObject({ exit: 0, err: '' });
    const { out } = await run('builds list app/deploy');
    expect(out).toMatch(/INPUTS\n1 +pending .* environment=a=b targets=us,eu/);
  });

  const refused: Record<string, [options: string, message: string]> = {
    'invalid values': [
      '--input targets=us,asia --input enviroment=x',
      'millrace: The job has no input "enviroment"; did you mean "environment"? ' +
        'Input environment has no default: give it a string. ' +
        'Input targets "asia" is not one of the options: eu, us.',
    ],
    'a name without a value': ['--input targets', '--input targets: write it as --input <name>=<value>'],
    'one input given twice': [
      '--input targets=eu --input targets=us',
      'write a list as one value, --input targets=a,b',
    ],
  };
  test.each(Object.entries(refused))('does not start with %s', async (_name, [options, message]) => {
    const { exit, err } = await run(`trigger app/deploy ${options}`);
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
    expect((await run('builds list app/deploy')).out).toBe('');
  });
});

describe('a build that is triggered and watched', () => {
  test('prints its log and exits with 0 if it succeeds', async () => {
    const watching = run('trigger app/unit --watch --no-check');
    await start();
    await sendEvents(
      ...EVENTS_UNTIL_TASK,
      log('one\n'),
      log('tw'),
      log('o\n'),
      done('1'),
      ended('succeeded'),
    );
    const { exit, out, err } = await watching;
    expect([exit, out]).toEqual([0, 'one\ntwo\n']);
    expect(err).toContain(`app/unit: build 1, ${gateway.base}/teams/main/pipelines/app/jobs/unit/builds/1\n`);
    expect(err).toContain('── task test\n');
    expect(err).toMatch(/\napp\/unit 1: succeeded( after .*)?: All steps succeeded\.\n$/);
  });

  test('exits with 1 if the build fails, also when it is watched after its end', async () => {
    const watching = run('trigger app/unit --watch --no-check');
    await start();
    await sendEvents(...EVENTS_UNTIL_TASK, log('no\n'), done('1', 'failed'), ended('failed'));
    const first = await watching;
    expect([first.exit, first.out]).toEqual([1, 'no\n']);
    expect(first.err).toMatch(/app\/unit 1: failed( after .*)?: Step test failed\.\n$/);
    for (const line of ['builds watch app/unit', 'builds watch app/unit/1']) {
      const later = await run(line);
      expect([line, later.exit, later.out]).toEqual([line, 1, 'no\n']);
    }
  });

  test('exits with 1 if it is cancelled', async () => {
    const watching = run('trigger app/unit --watch --no-check');
    await until(() => watching.outputSoFar.err.includes('app/unit 1: pending'));
    await gateway.ask('POST /teams/main/pipelines/app/jobs/unit/builds/1/cancel', { as: ann });
    const { exit, err } = await watching;
    expect([exit, err]).toEqual([1, expect.stringContaining('app/unit 1: cancelled')]);
  });

  test('prints each line of the log once, however often the connection breaks', async () => {
    await triggerAndStart();
    const watching = run('builds watch app/unit');
    const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`);
    await sendEvents(...EVENTS_UNTIL_TASK);
    for (const [index, line] of lines.entries()) {
      await sendEvents(log(line));
      if (index % 50 !== 25) continue;
      await until(() => watching.outputSoFar.out.includes(lines[index - 20] ?? ''));
      gateway.app.server.closeAllConnections();
    }
    await sendEvents(done('1'), ended('succeeded'));
    const { exit, out, err } = await watching;
    expect([exit, out]).toEqual([0, lines.join('')]);
    expect(err).toContain('The build continues; reconnecting.');
  });

  test('with --wait waits for the first build of the job', async () => {
    const watching = run('builds watch app/unit --wait');
    await until(() => watching.outputSoFar.err.includes('app/unit has no build yet. Waiting for the first'));
    await triggerAndStart();
    await sendEvents(...EVENTS_UNTIL_TASK, done('1'), ended('succeeded'));
    const { exit, err } = await watching;
    expect([exit, err]).toEqual([0, expect.stringContaining('app/unit 1: succeeded')]);
  });

  test('exits with 2 if the viewer may no longer read the build', async () => {
    await triggerAndStart();
    const watching = run('builds watch app/unit');
    await until(() => watching.outputSoFar.err.includes('app/unit 1: '));
    await stores.pool.query(rows()`DELETE FROM team_members`);
    const { exit, err } = await watching;
    expect([exit, err]).toEqual([2, expect.stringContaining('you may no longer read this')]);
  });

  test('exits with 2 if the server does not come back', async () => {
    await triggerAndStart();
    const other = await openGateway(stores, { limits: QUICK });
    const watching = run('builds watch app/unit', other);
    await until(() => watching.outputSoFar.err.includes('app/unit 1: '));
    await other.close();
    const { exit, err } = await watching;
    expect([exit, err.split('reconnecting').length]).toEqual([2, 2]);
    expect(err).toMatch(/millrace: .* cannot be reached: connection refused\. Check the address .*\n$/);
  });
});

describe('the command line lists', () => {
  test('jobs with their newest builds', async () => {
    await triggerAndStart();
    await sendEvents(...EVENTS_UNTIL_TASK, done('1'), ended('succeeded'));
    const { exit, out } = await run('jobs list app');
    expect([exit, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^JOB +BUILD +STATUS +STARTED/)]);
    expect(out).toMatch(/\nunit {6}1 {10}succeeded {3}20\d\d-/);
    expect(out).toMatch(/\npublish {3}none yet\n/);
    const jobs: unknown = JSON.parse((await run('jobs list app --output json')).out);
    expect(jobs).toMatchObject([{ name: 'unit', latest_status: 'succeeded' }, { name: 'publish' }]);
  });

  test('builds in pages, as many as requested', async () => {
    for (let times = 0; times < 3; times += 1) await run('trigger app/unit --no-check');
    const all = await run('builds list app/unit');
    expect([all.exit, all.err]).toEqual([0, '']);
    expect(all.out).toMatch(/^BUILD +STATUS +CREATED.*\n3 +pending .*\n2 +pending .*\n1 +pending /);
    const two = await run('builds list app/unit --limit 2 --output json');
    const builds: { number: string }[] = JSON.parse(two.out);
    expect(builds.map(({ number }) => number)).toEqual(['3', '2']);
    expect(two.err).toBe('There are older builds: use --limit to show more than 2.\n');
    expect((await run('builds list app/unit --status failed')).out).toBe('');
    expect(JSON.parse((await run('trigger app/unit --output json --no-check')).out)).toMatchObject({
      number: '4',
    });
  });

  const refused: Record<string, [line: string, message: string]> = {
    'a job that cannot run': ['trigger app/publish', 'millrace: Job publish cannot run now: '],
    'a job without builds': [
      'builds watch app/publish',
      'app/publish has no build yet: add --wait, or start a build with millrace trigger app/publish',
    ],
    'a build that does not exist': [
      'builds watch app/unit/9',
      'Build 9 of job unit of pipeline app in team main',
    ],
    'a pipeline that does not exist': ['jobs list shop', 'Pipeline shop in team main does not exist. Check'],
    'a team of other people': ['trigger app/unit --team other', 'This needs the role write in team other.'],
    'a private pipeline of another team': [
      'jobs list app --team other',
      'There is no public pipeline app in team other.',
    ],
    'a name with dots': ['jobs list ..', '".." is not a valid name'],
    'a log as JSON': [
      'trigger app/unit --watch --output json',
      'prints only the log: remove --watch or --output',
    ],
  };
  test.each(Object.entries(refused))('%s exits with 2', async (_name, [line, message]) => {
    const { exit, out, err } = await run(line);
    expect([exit, out]).toEqual([2, '']);
    expect(err).toContain(message);
  });
});

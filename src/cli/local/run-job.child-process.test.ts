import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  dockerState,
  printed,
  run,
  runEnvironment,
  startRun,
  temporaryFolder,
  transcript,
  useLocalRun,
  withDocker,
} from '#testing/cli/local-run.ts';
import { golden } from '#testing/jest/golden-file.ts';
import { BUILT_PROGRAM } from '#testing/process/built-program.ts';
import { typeInto } from '#testing/process/type-into.ts';

useLocalRun();

const HERE = 'src/cli/local/testdata';
const CONTENT = `${HERE}/folder`;

/** The directories of runs that the command has not removed. */
const leftBehind = (): string[] =>
  readdirSync(temporaryFolder()).filter((name) => name.startsWith('millrace-run-'));

describe('the output of a run equals the recorded file (`jest -u` records it; then read the difference)', () => {
  const cases: Record<string, { line: string; environment?: Record<string, string> }> = {
    hooks: { line: '-j hooks --var greeting=hi' },
    fails: { line: '-j fails' },
    tolerated: { line: '-j tolerated' },
    late: { line: '-j late' },
    'input-taken': { line: '-j choose --input target=production --input replicas=3' },
    'input-missing': { line: '-j choose --input replicas=many --input tagret=x' },
    resource: { line: `-j build --resource git.app=${CONTENT}` },
    'not-pushed': { line: '-j publish' },
    pushed: { line: '-j publish --put --notify' },
    secret: {
      line: '-j secret --var token=the-value-of-the-token',
      environment: { SHOP_PASSWORD: 'the-password' },
    },
    'secret-missing': { line: '-j secret', environment: { MILLRACE_VAR_token: 'the-value-of-the-token' } },
    approved: { line: '-j deploy --approve' },
    'not-approved': { line: '-j deploy' },
    'no-such-job': { line: '-j hoks' },
    'no-such-resource': { line: `-j build --resource git.ap=${CONTENT}` },
    'no-such-folder': { line: '-j build --resource git.app=nowhere' },
    'around-the-copy': { line: '-j build --resource git.app=/' },
    'wrong-value': { line: '-j hooks --var greting=hi' },
    'no-such-engine': { line: '-j images --engine nowhere' },
    'no-engine': { line: '-j images', environment: { PATH: '/nonexistent' } },
  };
  test.each(Object.entries(cases))('%s', async (name, { line, environment }) => {
    const output = transcript(line, await run(line, environment));
    expect(output).toBe(golden(join(HERE, `${name}.txt`), output));
    expect(leftBehind()).toEqual([]);
  });
});

describe('a run', () => {
  test('runs parallel steps at the same time', async () => {
    expect(await run('-j meet')).toMatchObject({ exit: 0 });
  });

  test('starts services, waits for them, and stops them', async () => {
    const { exit, output } = await run('-j store');
    expect(exit).toBe(0);
    for (const line of [
      'store:start | [store] starting',
      'task use | up',
      'store:stop | [store] stopped',
      'succeeded   N s  store:stop',
    ])
      expect(output).toContain(`${line}\n`);
  });

  test('gives steps a new home directory and none of the credentials of the person', async () => {
    const { exit, output } = await run('-j environment', {
      CLOUD_TOKEN: 'mine',
      HTTPS_PROXY: 'http://proxy:3128',
    });
    expect(exit).toBe(0);
    expect(output).toContain('task print | home is fresh\n');
    expect(output).toContain('task print | HTTPS_PROXY\n');
    expect(output).not.toMatch(/CLOUD_TOKEN|MILLRACE_SHIM|XDG_CACHE_HOME/);
  });

  test('keeps its work directory with --keep', async () => {
    const { output } = await run(`-j build --keep --resource git.app=${CONTENT}`);
    expect(output).toContain('work directory: /tmp/millrace-run-X/work\n');
    const [folder = ''] = leftBehind();
    expect(readFileSync(join(temporaryFolder(), folder, 'work/app/greeting.txt'), 'utf8')).toBe('hello\n');
  });

  test('does not change the local directory', async () => {
    await run(`-j build --resource git.app=${CONTENT}`);
    expect(readdirSync(CONTENT)).toEqual(['greeting.txt']);
  });
});

describe('Ctrl-C', () => {
  test('cancels a run: its on_cancel and ensure hooks run, and no directory is left behind', async () => {
    const running = startRun(['-j', 'waits']);
    await printed(running, 'task wait | waiting');
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(1);
    const output = running.output();
    for (const line of [
      'task wait, on_cancel shell | undone',
      'on_cancel shell | cancelled',
      'ensure shell | cleaned',
    ])
      expect(output).toContain(`${line}\n`);
    expect(output).toMatch(/pipeline\/waits: cancelled after [\d.]+ s: The build was cancelled\.\n$/);
    expect(leftBehind()).toEqual([]);
  });

  test('ends a run whose check is still running', async () => {
    const running = startRun(['-j', 'slow-check']);
    await printed(running, '── checking slow.resource');
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('pipeline/slow-check: cancelled before a step began\n');
    expect(leftBehind()).toEqual([]);
  });

  test('pressed a second time kills the run and its hooks at once', async () => {
    const running = startRun(['-j', 'waits', '--var', 'stubborn=true']);
    await printed(running, 'task wait | waiting');
    running.child.kill('SIGINT');
    await printed(running, 'on_cancel shell | cancelled');
    running.child.kill('SIGINT');
    expect(await running.ended).toBe(1);
    expect(running.output()).toContain('You killed it');
    expect(running.output()).not.toContain('ensure shell | cleaned');
    expect(leftBehind()).toEqual([]);
  });
});

test('a run with an approval asks at a terminal', async () => {
  const words = [
    process.execPath,
    BUILT_PROGRAM,
    'run',
    '-p',
    `${HERE}/pipeline.hcl`,
    '-j',
    'deploy',
    '--color',
    'never',
  ];
  const question = 'deploy waits for the approval production. Approve it? [y/N]';
  const screen = (answer: string): Promise<string> =>
    typeInto(`${words.join(' ')} || echo exit code $?`, [[question, answer]], runEnvironment());
  expect(await screen('y')).toContain('task deploy | deployed');
  expect(await screen('n')).toMatch(/not approved\s+exit code 1\s*$/);
});

describe('steps with an image', () => {
  test('run in containers of docker, which are gone afterwards', async () => {
    const line = '-j images';
    const output = transcript(line, await run(line, { PATH: withDocker() }));
    const { calls, running } = dockerState();
    const recorded = `${output}\n${calls}`;
    expect(recorded).toBe(golden(join(HERE, 'images.txt'), recorded));
    expect(running).toEqual([]);
  });

  test('use images that are on the machine already', async () => {
    const PATH = withDocker();
    await run('-j images', { PATH });
    expect(await run('-j images', { PATH })).toMatchObject({ exit: 0 });
    expect(dockerState().calls.match(/^docker pull/gm)).toHaveLength(3);
  });

  test('fail with the words of the engine if there is no such image', async () => {
    const { exit, output } = await run('-j unknown', { PATH: withDocker() });
    expect([exit, output]).toEqual([
      2,
      '── pulling nowhere:1\nmillrace: docker cannot pull nowhere:1: Error response from daemon: manifest for nowhere:1 not found\n',
    ]);
  });

  test('end when their run is killed', async () => {
    const running = startRun(['-j', 'hangs'], { PATH: withDocker() });
    await printed(running, 'task hang | hanging');
    running.child.kill('SIGINT');
    running.child.kill('SIGTERM');
    expect(await running.ended).toBe(1);
    expect(dockerState().running).toEqual([]);
  });
});

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  bundle,
  certificate,
  gateway,
  plan,
  pod,
  sh,
  shim,
  shims,
  start,
  touch,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

describe('a build in the agent', () => {
  test('puts the notice of its plan at the top of the log of its first step', async () => {
    const agent = await start({ ...plan([sh('echo one'), sh('echo two')]), notice: 'no secrets' });
    expect(await ended(agent)).toBe(0);
    expect([gateway.log('0'), gateway.log('1')]).toEqual(['[no secrets]\none\n', 'two\n']);
  });

  test('runs its steps in order and reports all of them', async () => {
    const agent = await start(
      plan([sh('echo one; echo KEY=v >> $SVC_OUTPUT'), sh('echo two $TASK_0_KEY >&2')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.events.map((event) => event.type)).toEqual([
      'step-started',
      'log',
      'step-ended',
      'step-started',
      'log',
      'step-ended',
      'build-ended',
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded', reason: 'AllStepsSucceeded' });
    expect(gateway.log('0')).toBe('one\n');
    expect(gateway.log('1')).toBe('two v\n');
    expect(pod.termination()).toMatchObject({
      outcome: 'succeeded',
      exits: { '0': 0, '1': 0 },
      acknowledged: 7,
    });
    expect(await Promise.all(shims.map(ended))).toEqual([0]);
  });

  test('gives versions to later steps, prints the version of a get without a pull, and reports those of puts', async () => {
    const agent = await start(
      plan([
        { kind: 'get', name: 'cron.daily', version: { date: 'today', 'a-b': '1' }, exports: 'GET_DAILY_' },
        sh('echo $GET_DAILY_DATE $GET_DAILY_A_B'),
        sh('echo pushing; echo \'{"ref":"abc","n":1}\'', {
          kind: 'put',
          name: 'git.app',
          params: { tag: 'x' },
        }),
        sh('echo pushed', { kind: 'put', name: 'git.app', params: { tag: 'x' } }),
      ]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('date: today\na-b: 1\n');
    expect(gateway.log('1')).toBe('today 1\n');
    expect(gateway.endOf('2')).toMatchObject({ status: 'succeeded', version: { ref: 'abc', n: '1' } });
    expect(gateway.endOf('3')).toMatchObject({ status: 'succeeded', version: { tag: 'x' } });
  });

  test('ends at the first step that fails', async () => {
    const agent = await start(
      plan([sh('true'), sh('echo no >&2; exit 3', { name: 'unit' }), sh('touch never')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('1')).toMatchObject({ status: 'failed', exitCode: 3, message: 'exit code 3' });
    expect(gateway.endOf('2')).toMatchObject({ status: 'skipped' });
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step unit: exit code 3.',
    });
    expect(gateway.log('1')).toBe('no\n[exit code 3]\n');
    expect(existsSync(join(pod.workdir, 'never'))).toBe(false);
    expect(pod.termination()).toMatchObject({
      outcome: 'failed',
      reason: 'StepFailed',
      exits: { '0': 0, '1': 3 },
    });
  });

  test('with several images runs each step in its container', async () => {
    const containers = [{ name: 'worker' }, { name: 'image-1-a', image: 'a' }];
    const second = { container: 'image-1-a', argv: ['/bin/sh', '-e'], script: 'echo $WHO; cat shared' };
    const work = plan([sh('echo $WHO; echo file > shared'), { command: second }], { containers });
    const agent = await start(work, (name) => ({ environment: { WHO: name } }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('worker\n');
    expect(gateway.log('1')).toBe('image-1-a\nfile\n');
  });

  test('passes the variables of a step unchanged, over those of the image and earlier steps, and masks secrets', async () => {
    const value = `it's "awkward"\n$(echo no) \`echo no\``;
    const script = 'printf %s "$SECRET" | sha256sum; echo "$SECRET"; echo "$WHO $TASK_0_KEY"';
    const env = { SECRET: value, WHO: 'step', TASK_0_KEY: 'own' };
    const second = sh(script, { env, needsSecrets: true });
    const work = plan([sh('echo KEY=of-an-earlier-step >> $SVC_OUTPUT'), second]);
    const agent = await start(work, () => ({ environment: { WHO: 'image' } }));
    expect(await ended(agent)).toBe(0);
    const digest = createHash('sha256').update(value).digest('hex');
    expect(gateway.log('1')).toBe(`${digest}  -\n***\n***\nstep own\n`);
  });

  test('gives only tasks a file for their output', async () => {
    const script = 'echo "${SVC_OUTPUT+file}"; echo \'{"ref":"a"}\'';
    const agent = await start(
      plan([
        sh(script, { kind: 'get', name: 'git.app', version: { ref: 'a' } }),
        sh(script, { kind: 'put', name: 'git.app' }),
        sh(script),
      ]),
    );
    expect(await ended(agent)).toBe(0);
    expect(['0', '1', '2'].map((step) => gateway.log(step).split('\n')[0])).toEqual(['', '', 'file']);
  });

  test('that runs nothing needs no container', async () => {
    const agent = await start(
      plan([{ kind: 'get', name: 'cron.daily', version: { date: 'd' } }], { containers: [] }),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('that exceeds the time limit of its job fails with the reason JobTimeout', async () => {
    const agent = await start(plan([sh('sleep 1000'), sh('true')], { timeoutSeconds: 10 }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('0')).toMatchObject({
      status: 'failed',
      signal: 'SIGTERM',
      message: 'the job ran out of time',
    });
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'JobTimeout' });
  });

  test('shows no secret, neither in pieces nor encoded, neither in messages nor in versions', async () => {
    const env = { SECRET: 's3cret-value', SECRET_LINES: 'multi\nline-secret\n' };
    const script = `printf s3cr; sleep 0.3; echo et-value; printf s3cret-value | base64
      printf 'line-secret\\n'; echo '{"ref":"s3cret-value"}'`;
    const steps = [
      sh(script, { kind: 'put', name: 'git.app', env, needsSecrets: true }),
      { command: { container: 'worker', argv: ['no-such-s3cret-value'] } },
    ];
    const agent = await start(plan(steps));
    expect(await ended(agent)).toBe(0);
    const output = JSON.stringify(gateway.events) + JSON.stringify(pod.termination());
    expect(output).not.toMatch(/s3cr|et-value|line-secret|czNjcmV0/);
    expect(gateway.log('0')).toBe('***\n***\n***\n{"ref":"***"}\n');
    expect(gateway.endOf('0')).toMatchObject({ version: { ref: '***' } });
    expect(gateway.endOf('1')).toMatchObject({ message: expect.stringContaining('no-such-***') });
  });

  test('that exceeds its log limit continues, and its log says that it is cut', async () => {
    const agent = await start(plan([sh('yes | head -c 100000'), sh('echo unseen')], { logLimitBytes: 1000 }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.log('0')).toBe(
      `${'y\n'.repeat(500)}\n[truncated: the log of this build is over its limit]\n`,
    );
    expect(gateway.log('1')).toBe('');
  });

  test('whose step prints 50 MB reports all of it in order', async () => {
    const agent = await start(plan([sh('seq 1000001 7250000')], { logLimitBytes: 256 * 1024 * 1024 }));
    expect(await ended(agent)).toBe(0);
    const numbers = Array.from({ length: 6_250_000 }, (_, index) => index + 1_000_001);
    const expected = `${numbers.join('\n')}\n`;
    // A failure of `expect(log).toBe(expected)` would print 50 MB twice.
    expect(gateway.log('0') === expected).toBe(true);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  }, 600_000);

  test('whose step prints invalid UTF-8 does not fail', async () => {
    const agent = await start(plan([sh('printf "a\\0b\\377c\\303"; sleep 0.3; printf "\\244\\n"')]));
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('a\uFFFDb\uFFFDcä\n');
  });

  test('reports lines while a step is still running', async () => {
    const agent = await start(
      plan([sh('echo first; printf part; while [ ! -e go ]; do sleep 0.05; done; echo ial')]),
    );
    await gateway.when(() => gateway.log('0') === 'first\npart');
    expect(gateway.end).toBeUndefined();
    await touch('go');
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('first\npartial\n');
  });
});

test('the shim is copied to where containers of other images wait for it', async () => {
  const folder = join(pod.folder, 'shim');
  mkdirSync(folder);
  useGateway(new FakeGateway(certificate, { work: 'build', plan: plan([], { containers: [] }) }));
  await gateway.open();
  const environment = { MILLRACE_SHIM_FOLDER: folder, MILLRACE_SHIM_BINARY: shim };
  expect(await ended(pod.startAgent(bundle, gateway.url, certificate.cert, environment))).toBe(0);
  expect(readFileSync(join(folder, 'millrace-shim')).equals(readFileSync(shim))).toBe(true);
  expect(statSync(join(folder, 'millrace-shim')).mode & 0o777).toBe(0o755);
});

test('an agent without a complete environment exits with 1', async () => {
  useGateway(new FakeGateway(certificate, { work: 'build', plan: plan([]) }));
  await gateway.open();
  const agent = pod.startAgent(bundle, '', '');
  expect(await ended(agent)).toBe(1);
});

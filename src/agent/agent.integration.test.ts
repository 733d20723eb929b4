import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, promises, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { SessionConfirmation, SessionResponse } from '#domain/build/agent-protocol.ts';
import type { CheckPlan, CheckRun, Plan, PlanStep } from '#domain/planning/plan.ts';
import { buildShim, bundleAgent } from '#testing/agent/build.ts';
import { FakeGateway, type Mishap } from '#testing/agent/fake-gateway.ts';
import { childrenOf, ended, LocalPod, onlyChild } from '#testing/agent/local-pod.ts';
import { makeCertificate, type Certificate } from '#testing/network/certificate.ts';
import { freePort } from '#testing/network/free-port.ts';

let shim = '';
let bundle = '';
let certificate: Certificate = { key: '', cert: '' };

beforeAll(async () => {
  [shim, bundle, certificate] = await Promise.all([buildShim(), bundleAgent(), makeCertificate()]);
}, 600_000);

let pod: LocalPod;
let gateway: FakeGateway;
let shims: ChildProcess[] = [];

beforeEach(async () => {
  pod = new LocalPod();
  pod.open(await freePort());
});

afterEach(async () => {
  await pod.close();
  await gateway.close();
});

describe('a build', () => {
  test('says first what people should know of it', async () => {
    const agent = await start({ ...plan([sh('echo one'), sh('echo two')]), notice: 'no secrets' });
    expect(await ended(agent)).toBe(0);
    expect([gateway.log('0'), gateway.log('1')]).toEqual(['[no secrets]\none\n', 'two\n']);
  });

  test('runs its steps in order and tells all of it', async () => {
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

  test('gives versions to later steps, prints those that need no pull, and names what a put made', async () => {
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
    expect(gateway.ended('2')).toMatchObject({ status: 'succeeded', version: { ref: 'abc', n: '1' } });
    expect(gateway.ended('3')).toMatchObject({ status: 'succeeded', version: { tag: 'x' } });
  });

  test('ends with the first step that fails', async () => {
    const agent = await start(
      plan([sh('true'), sh('echo no >&2; exit 3', { name: 'unit' }), sh('touch never')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.ended('1')).toMatchObject({ status: 'failed', exitCode: 3, message: 'exit code 3' });
    expect(gateway.ended('2')).toMatchObject({ status: 'skipped' });
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

  test('of several images runs each step in its container', async () => {
    const containers = [{ name: 'worker' }, { name: 'image-1-a', image: 'a' }];
    const second = { container: 'image-1-a', argv: ['/bin/sh', '-e'], script: 'echo $WHO; cat shared' };
    const work = plan([sh('echo $WHO; echo file > shared'), { command: second }], { containers });
    const agent = await start(work, (name) => ({ environment: { WHO: name } }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('worker\n');
    expect(gateway.log('1')).toBe('image-1-a\nfile\n');
  });

  test('gives a step its environment letter by letter, over the image and earlier steps, and masks it', async () => {
    const value = `it's "awkward"\n$(echo no) \`echo no\``;
    const script = 'printf %s "$VALUE" | sha256sum; echo "$VALUE"; echo "$WHO $TASK_0_KEY"';
    const env = { VALUE: value, WHO: 'step', TASK_0_KEY: 'own' };
    const work = plan([sh('echo KEY=of-an-earlier-step >> $SVC_OUTPUT'), sh(script, { env })], {
      secrets: [value],
    });
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

  test('that takes longer than its job may is ended, and says so', async () => {
    const agent = await start(plan([sh('sleep 1000'), sh('true')], { timeoutSeconds: 10 }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.ended('0')).toMatchObject({
      status: 'failed',
      signal: 'SIGTERM',
      message: 'the job ran out of time',
    });
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'JobTimeout' });
  });

  test('shows no secret: not cut, not encoded, not in messages, not in versions', async () => {
    const secrets = ['s3cret-value', 'multi\nline-secret\n'];
    const script = `printf s3cr; sleep 0.3; echo et-value; printf s3cret-value | base64
      printf 'line-secret\\n'; echo '{"ref":"s3cret-value"}'`;
    const steps = [
      sh(script, { kind: 'put', name: 'git.app' }),
      { command: { container: 'worker', argv: ['no-such-s3cret-value'] } },
    ];
    const agent = await start(plan(steps, { secrets }));
    expect(await ended(agent)).toBe(0);
    const told = JSON.stringify(gateway.events) + JSON.stringify(pod.termination());
    expect(told).not.toMatch(/s3cr|et-value|line-secret|czNjcmV0/);
    expect(gateway.log('0')).toBe('***\n***\n***\n{"ref":"***"}\n');
    expect(gateway.ended('0')).toMatchObject({ version: { ref: '***' } });
    expect(gateway.ended('1')).toMatchObject({ message: expect.stringContaining('no-such-***') });
  });

  test('that prints more than it may goes on, and its log says that it is cut', async () => {
    const agent = await start(plan([sh('yes | head -c 100000'), sh('echo unseen')], { logLimitBytes: 1000 }));
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(gateway.log('0')).toBe(
      `${'y\n'.repeat(500)}\n[truncated: the log of this build is over its limit]\n`,
    );
    expect(gateway.log('1')).toBe('');
  });

  test('that prints what no text is gets it through somehow', async () => {
    const agent = await start(plan([sh('printf "a\\0b\\377c\\303"; sleep 0.3; printf "\\244\\n"')]));
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('a\uFFFDb\uFFFDcä\n');
  });

  test('shows lines while a step still runs', async () => {
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

describe('a gateway with troubles', () => {
  test.each([1, 2, 3, 4])('loses nothing and doubles nothing (seed %d)', async (seed) => {
    const random = generator(seed);
    const mishaps: (Mishap | undefined)[] = [
      'drop',
      'refuse',
      'answer-lost',
      { delay: 100 },
      undefined,
      undefined,
    ];
    const lines = Array.from({ length: 300 }, (_, index) => `line ${index}`).join('\n');
    const script = `for i in $(seq 0 299); do echo line $i; [ $((i % 50)) != 0 ] || sleep 0.05; done`;
    const steps = [sh(script), sh('true', { kind: 'put', name: 'p', params: { a: 'b' } }), sh(script)];
    const agent = await start(plan(steps), undefined, () => mishaps[Math.floor(random() * mishaps.length)]);
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe(`${lines}\n`);
    expect(gateway.log('2')).toBe(`${lines}\n`);
    expect(gateway.events.map((event) => event.sequence)).toEqual(
      gateway.events.map((_, index) => index + 1),
    );
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    expect(new Set(gateway.sessions.map((session) => session.key)).size).toBe(1);
  });

  test('that is away while much is printed gets all of it later', async () => {
    let away = true;
    const script = 'seq 2000000; touch printed';
    const agent = await start(plan([sh(script)]), undefined, (path) =>
      away && path.endsWith('/events') ? 'refuse' : undefined,
    );
    await fileAppears('printed');
    away = false;
    expect(await ended(agent)).toBe(0);
    const expected = createHash('sha256');
    for (let line = 1; line <= 2_000_000; line += 1) expected.update(`${line}\n`);
    expect(createHash('sha256').update(gateway.log('0')).digest('hex')).toBe(expected.digest('hex'));
  });

  test('delays a put until its beginning is on record', async () => {
    let away = true;
    let refused = 0;
    const steps = [sh('touch before'), sh('touch pushed', { kind: 'put', name: 'git.app' })];
    const agent = await start(plan(steps), undefined, (path) => {
      if (!away || !path.endsWith('/events')) return undefined;
      refused += 1;
      return 'refuse';
    });
    await fileAppears('before');
    const then = refused;
    await gateway.when(() => refused > then + 3);
    expect(existsSync(join(pod.workdir, 'pushed'))).toBe(false);
    away = false;
    expect(await ended(agent)).toBe(0);
    expect(existsSync(join(pod.workdir, 'pushed'))).toBe(true);
  });

  describe('that does not know yet whose the work is', () => {
    test('sees it begin at once, hears of it later, and no put is made meanwhile', async () => {
      const { promise, resolve } = Promise.withResolvers<SessionConfirmation>();
      const steps = [sh('touch before'), sh('touch pushed', { kind: 'put', name: 'git.app' })];
      const agent = await start(plan(steps), undefined, undefined, promise);
      await fileAppears('before');
      await sleep(300);
      expect(existsSync(join(pod.workdir, 'pushed'))).toBe(false);
      expect([gateway.requests, gateway.events]).toEqual([1, []]);
      resolve({ confirmed: true });
      expect(await ended(agent)).toBe(0);
      expect(existsSync(join(pod.workdir, 'pushed'))).toBe(true);
      expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    });

    test('and refuses it in the end, ends what began', async () => {
      const { promise, resolve } = Promise.withResolvers<SessionConfirmation>();
      const agent = await start(plan([sh('touch begun; sleep 1000')]), undefined, undefined, promise);
      await fileAppears('begun');
      resolve({ confirmed: false, status: 401 });
      expect(await ended(agent)).toBe(1);
      expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentAuthentication' });
      expect(await Promise.all(shims.map(ended))).toEqual([0]);
    });

    test('and asks it to come again, hears of it then, once', async () => {
      const { promise, resolve } = Promise.withResolvers<SessionConfirmation>();
      const agent = await start(plan([sh('echo x >> begun')]), undefined, undefined, promise);
      await fileAppears('begun');
      gateway.confirmation = undefined;
      resolve({ confirmed: false, status: 503 });
      expect(await ended(agent)).toBe(0);
      expect(readFileSync(join(pod.workdir, 'begun'), 'utf8')).toBe('x\n');
      expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
    });
  });

  describe('that goes while a put runs', () => {
    test('finds its version in the last words of a build that is done', async () => {
      const agent = await start(plan([push('abc')]), undefined, gone);
      await termination('"succeeded"');
      agent.kill('SIGKILL');
      await ended(agent);
      expect(gateway.end).toBeUndefined();
      expect(pod.termination()).toMatchObject({
        outcome: 'succeeded',
        exits: { '0': 0 },
        versions: { '0': { ref: 'abc' } },
        acknowledged: 1,
      });
    });

    test('finds its version though the agent is killed in a later step', async () => {
      const agent = await start(plan([push('abc'), sh('sleep 1000')]), undefined, gone);
      await termination('"abc"');
      agent.kill('SIGKILL');
      await ended(agent);
      expect(pod.termination()).toMatchObject({
        outcome: 'failed',
        message: '',
        versions: { '0': { ref: 'abc' } },
      });
    });

    test('does not find a version that is too long, and can tell', async () => {
      const agent = await start(plan([push('v'.repeat(5000))]), undefined, gone);
      await termination('"succeeded"');
      agent.kill('SIGKILL');
      await ended(agent);
      expect(pod.termination()).toMatchObject({ outcome: 'succeeded', exits: { '0': 0 } });
      expect(pod.termination()).not.toHaveProperty('versions');
    });
  });

  test('that ends the session ends everything at once', async () => {
    let over = false;
    const agent = await start(plan([sh('sleep 1000')]), undefined, (path) =>
      over && path.endsWith('/events') ? 'unauthorized' : undefined,
    );
    await gateway.when(() => gateway.events.length > 0);
    over = true;
    gateway.breakStreams();
    gateway.mishap = () => 'unauthorized';
    expect(await ended(agent)).toBe(1);
    expect(gateway.end).toBeUndefined();
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentAuthentication' });
    expect(await Promise.all(shims.map(ended))).toEqual([0]);
  });

  test('that cannot make sense of the agent ends the build instead of hanging it', async () => {
    const agent = await start(plan([sh('sleep 1000')]), undefined, confused);
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentFault' });
  });

  test('that does not understand the end alone finds it in the last words', async () => {
    const agent = await start(plan([sh('sleep 0.3; exit 3')]), undefined, (path) =>
      path.endsWith('/events') && gateway.events.length > 0 ? 'not-understood' : undefined,
    );
    expect(await ended(agent)).toBe(0);
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'StepFailed', exits: { '0': 3 } });
  });

  test('that refuses the session is told so in the last words', async () => {
    const agent = await start(plan([sh('true')]), undefined, () => 'unauthorized');
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ reason: 'AgentAuthentication', exits: {} });
  });

  test('with another certificate is not spoken to', async () => {
    const other = await makeCertificate();
    gateway = new FakeGateway(other, { work: 'build', plan: plan([sh('true')]) });
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    // It comes again because it did not like what it met.
    await gateway.when(() => gateway.connections > 1);
    expect(gateway.sessions).toEqual([]);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
  });
});

describe('cancelling', () => {
  const step = 'trap "echo stopped; exit 1" TERM; echo begun; sleep 1000 & wait';

  test('by the stream ends the step, keeps the log, and skips the rest', async () => {
    const agent = await start(plan([sh(step), sh('true')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('begun\nstopped\n[cancelled]\n');
    expect(gateway.ended('0')).toMatchObject({ status: 'cancelled', exitCode: 1 });
    expect(gateway.ended('1')).toMatchObject({ status: 'skipped' });
    expect(gateway.end).toMatchObject({ outcome: 'cancelled', reason: 'Cancelled' });
  });

  test('works without the stream, by the next answer', async () => {
    const agent = await start(
      plan([sh('while :; do echo tick; sleep 0.1; done'), sh('true')]),
      undefined,
      noStream,
    );
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancelled = true;
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
  });

  test('ends a step that will not listen', async () => {
    const agent = await start(plan([sh('trap "" TERM; echo begun; while :; do sleep 1; done')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.ended('0')).toMatchObject({ status: 'cancelled', signal: 'SIGKILL' });
  });

  test('of a step that ends well all the same is still a cancelled build', async () => {
    const agent = await start(plan([sh('trap "exit 0" TERM; echo begun; sleep 1000 & wait')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
  });

  test('before the containers came skips everything', async () => {
    gateway = new FakeGateway(certificate, { work: 'build', plan: plan([sh('true')]) });
    gateway.cancelled = true;
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
    expect(gateway.ended('0')).toMatchObject({ status: 'skipped' });
  });
});

describe('the end of parts of the Pod', () => {
  test('a container killed in the middle of a step: no verdict, the step named, the rest to the Pod’s judge', async () => {
    const agent = await start(plan([sh('echo begun; sleep 1000', { name: 'unit' })]));
    await gateway.when(() => gateway.log('0') !== '');
    for (const one of shims) process.kill(onlyChild(one), 'SIGKILL');
    expect(await ended(agent)).toBe(1);
    expect(gateway.ended('0')).toMatchObject({ status: 'failed', message: 'the container worker ended' });
    expect(gateway.end).toBeUndefined();
    expect(gateway.log('0')).toBe('begun\n[the container worker ended]\n');
    expect(pod.termination()).toMatchObject({
      reason: 'AgentFault',
      message: 'Step unit: the container worker ended.',
      exits: { '0': null },
    });
  });

  test('the agent killed: its containers end, and all that ran in them', async () => {
    const agent = await start(plan([sh('setsid sleep 1000 & echo begun; sleep 1000')]));
    await gateway.when(() => gateway.log('0') !== '');
    const below = shims.flatMap((one) => childrenOf(onlyChild(one)));
    expect(below).not.toEqual([]);
    agent.kill('SIGKILL');
    expect(await Promise.all(shims.map(ended))).toEqual([1]);
    expect(below.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(gateway.end).toBeUndefined();
  });

  test('the Pod asked to end: the step gets its chance, the log is complete, and nobody claims a verdict', async () => {
    const agent = await start(
      plan([sh('trap "echo last words; exit 0" TERM; echo begun; sleep 1000 & wait'), sh('true')]),
    );
    await gateway.when(() => gateway.log('0') !== '');
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(gateway.log('0')).toBe('begun\nlast words\n[the Pod was asked to end]\n');
    expect(gateway.ended('0')).toMatchObject({ status: 'cancelled' });
    expect(gateway.end).toBeUndefined();
    expect(pod.termination()).toMatchObject({
      outcome: 'failed',
      reason: 'PodLost',
      statuses: { '0': 'cancelled' },
    });
  });

  test('a container asked to end before the agent hears of it: no success of what ended then', async () => {
    const agent = await start(
      plan([sh('trap "echo told; exit 0" TERM; echo begun; sleep 1000 & wait'), sh('touch never')]),
    );
    await gateway.when(() => gateway.log('0') !== '');
    for (const one of shims) process.kill(onlyChild(one), 'SIGTERM');
    await gateway.when(() => gateway.log('0').includes('told'));
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(gateway.ended('0')).toMatchObject({ status: 'cancelled' });
    expect(existsSync(join(pod.workdir, 'never'))).toBe(false);
  });

  test('a step that asks its own container to end fails, whatever it exits with', async () => {
    const agent = await start(
      plan([sh('trap "" TERM; kill -15 1; exit 0', { name: 'unit' }), sh('touch never')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step unit: its container was asked to end meanwhile.',
    });
    expect(existsSync(join(pod.workdir, 'never'))).toBe(false);
  });

  test('the Pod asked to end before it has work: the agent goes', async () => {
    const agent = await start(plan([sh('true')]), undefined, () => ({ delay: 3_600_000 }));
    await gateway.when(() => gateway.connections > 0);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ reason: 'PodLost', exits: {} });
  });

  test('a plan of another format is refused', async () => {
    gateway = new FakeGateway(certificate, JSON.parse('{"work":"build","plan":{"format":2}}'));
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    await gateway.when(() => gateway.sessions.length > 1);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
  });
});

describe('checks', () => {
  test('answer each for itself, and a failed one fails no other', async () => {
    const results = await runAll(
      [
        check('good', 'echo looking >&2; echo "[{\\"ref\\":\\"$version_ref\\"},{\\"ref\\":\\"b\\"}]"', {
          env: { version_ref: 'a' },
        }),
        check('bad', 'echo hello'),
        check('failed', 'echo trying >&2; echo because of s3cret >&2; exit 4'),
        check('late', 'sleep 1000', { timeoutSeconds: 1 }),
        check('leaking', 'echo "[{\\"url\\":\\"https://s3cret@host\\"}]"; echo s3cret >&2'),
        check(
          'own',
          'test -z "$(ls)"; touch mine; echo "[{\\"dir\\":\\"$(test "$PWD" = "$WORKDIR" && echo same)\\"}]"',
        ),
        check('long', 'head -c 2000000 /dev/zero | tr "\\0" x'),
        check('none', 'echo "[]"'),
        check('much', 'seq 150 | jq --slurp "map({n: .})"'),
      ],
      { secrets: ['s3cret'] },
    );
    expect(results.get('good')).toEqual({
      scope: 'good',
      versions: [{ ref: 'a' }, { ref: 'b' }],
      log: 'looking\n',
    });
    expect(results.get('bad')).toMatchObject({
      error: expect.stringContaining('It begins with: "hello\\n"'),
    });
    expect(results.get('failed')).toEqual({
      scope: 'failed',
      error: 'The check failed: exit code 4. because of ***',
      log: 'trying\nbecause of ***\n',
    });
    expect(results.get('late')).toMatchObject({ error: 'The check took longer than 1 s.' });
    expect(results.get('leaking')).toEqual({
      scope: 'leaking',
      error: 'The field "url" of a version holds a secret; versions are stored and shown.',
      log: '***\n',
    });
    expect(results.get('own')).toMatchObject({ versions: [{ dir: 'same' }] });
    expect(results.get('long')).toMatchObject({ error: 'The check printed more than 1048576 bytes.' });
    expect(results.get('none')).toEqual({ scope: 'none', versions: [], log: '' });
    const newest = Array.from({ length: 100 }, (_, index) => ({ n: String(index + 51) }));
    expect(results.get('much')).toMatchObject({ versions: newest, cut: 50 });
  });

  test('run side by side, but not all at once', async () => {
    const four = `until [ $(ls ${pod.workdir} | wc -l) -ge 4 ]; do sleep 0.02; done; sleep 0.5`;
    const checks = Array.from({ length: 8 }, (_, index) =>
      check(String(index), `(date +%s%N; touch ${pod.workdir}/${index}; ${four}; date +%s%N) >&2; echo "[]"`),
    );
    await runAll(checks);
    const spans = gateway.results.map(({ log }) => {
      const [from = 0, to = 0] = log
        .trim()
        .split('\n')
        .map((line) => Number(line) / 1e6);
      return { from, to };
    });
    const beside = spans.map(({ from: at }) => spans.filter(({ from, to }) => from <= at && at < to).length);
    expect(Math.max(...beside)).toBe(4);
  });

  test('that are all done by others leave nothing to say', async () => {
    const run: CheckRun = { format: 1, run: '0', containers: [], checks: [], secrets: [] };
    gateway = new FakeGateway(certificate, { work: 'checks', run });
    await gateway.open();
    const worker = pod.startShim(shim, 'worker');
    const names = { MILLRACE_CONTAINERS: 'worker' };
    expect(await ended(pod.startAgent(bundle, gateway.url, certificate.cert, names))).toBe(0);
    expect(await ended(worker)).toBe(0);
    expect(gateway.requests).toBe(1);
  });

  test('whose run was closed meanwhile end well', async () => {
    const run: CheckRun = {
      format: 1,
      run: '1',
      containers: [{ name: 'worker' }],
      checks: [check('a', 'true')],
      secrets: [],
    };
    expect(await ended(await startWith({ work: 'checks', run }, undefined, closed))).toBe(0);
  });

  test('get their results through a gateway with troubles', async () => {
    let refusals = 3;
    const run: CheckRun = {
      format: 1,
      run: '1',
      containers: [{ name: 'worker' }],
      checks: [check('a', 'echo "[]"')],
      secrets: [],
    };
    const agent = await startWith({ work: 'checks', run }, undefined, (path) => {
      refusals -= path.endsWith('check-results') ? 1 : 0;
      return path.endsWith('check-results') && refusals >= 0 ? 'refuse' : undefined;
    });
    expect(await ended(agent)).toBe(0);
    expect(gateway.checksDone).toBe(true);
  });
});

test('the shim is put where other images wait for it', async () => {
  const folder = join(pod.folder, 'shim');
  mkdirSync(folder);
  gateway = new FakeGateway(certificate, { work: 'build', plan: plan([], { containers: [] }) });
  await gateway.open();
  const more = { MILLRACE_SHIM_FOLDER: folder, MILLRACE_SHIM_BINARY: shim };
  expect(await ended(pod.startAgent(bundle, gateway.url, certificate.cert, more))).toBe(0);
  expect(readFileSync(join(folder, 'millrace-shim')).equals(readFileSync(shim))).toBe(true);
  expect(statSync(join(folder, 'millrace-shim')).mode & 0o777).toBe(0o755);
});

test('an environment that lacks something is named whole', async () => {
  gateway = new FakeGateway(certificate, { work: 'build', plan: plan([]) });
  await gateway.open();
  const agent = pod.startAgent(bundle, '', '');
  expect(await ended(agent)).toBe(1);
});

function check(scope: string, script: string, more: Partial<CheckPlan> = {}): CheckPlan {
  return {
    scope,
    resource: `git.${scope}`,
    command: { container: 'worker', argv: ['/bin/sh', '-e'], script },
    env: {},
    timeoutSeconds: 300,
    ...more,
  };
}

async function runAll(checks: CheckPlan[], more: Partial<CheckRun> = {}): Promise<Map<string, object>> {
  const run: CheckRun = {
    format: 1,
    run: '1',
    containers: [{ name: 'worker' }],
    checks,
    secrets: [],
    ...more,
  };
  expect(await ended(await startWith({ work: 'checks', run }))).toBe(0);
  expect(gateway.checksDone).toBe(true);
  expect(gateway.results).toHaveLength(checks.length);
  return new Map(gateway.results.map((result) => [result.scope, result]));
}

const confused: Trouble = (path) => (path.endsWith('/events') ? 'not-understood' : undefined);
const gone: Trouble = (path) =>
  path.endsWith('/events') && gateway.events.some(({ type }) => type === 'step-started')
    ? 'refuse'
    : undefined;
const closed: Trouble = (path) => (path.endsWith('check-results') ? 'unauthorized' : undefined);
const noStream: Trouble = (path) => (path.endsWith('/commands') ? 'drop' : undefined);

type Dressing = (container: string) => { environment: Record<string, string> };
type Trouble = (path: string, count: number) => Mishap | undefined;

type Confirming = Promise<SessionConfirmation>;

function start(work: Plan, dress?: Dressing, trouble?: Trouble, later?: Confirming): Promise<ChildProcess> {
  return startWith({ work: 'build', plan: work }, dress, trouble, later);
}

async function startWith(
  work: SessionResponse,
  dress?: Dressing,
  trouble?: Trouble,
  later?: Confirming,
): Promise<ChildProcess> {
  gateway = new FakeGateway(certificate, work);
  gateway.confirmation = later;
  if (trouble) gateway.mishap = trouble;
  await gateway.open();
  const { containers } = work.work === 'build' ? work.plan : work.run;
  shims = containers.map(({ name }) => pod.startShim(shim, name, dress?.(name) ?? {}));
  return pod.startAgent(bundle, gateway.url, certificate.cert);
}

function plan(steps: Partial<PlanStep>[], more: Partial<Plan> = {}): Plan {
  return {
    format: 1,
    build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
    containers: [{ name: 'worker' }],
    workdir: pod.workdir,
    timeoutSeconds: 600,
    steps: steps.map((step, index) => ({
      id: String(index),
      kind: 'task',
      name: String(index),
      exports: `TASK_${index}_`,
      env: {},
      ...step,
    })),
    secrets: [],
    ...more,
  };
}

function push(version: string): Partial<PlanStep> {
  return sh(`echo '{"ref":"${version}"}'`, { kind: 'put', name: 'git.app', params: {} });
}

function sh(script: string, more: Partial<PlanStep> = {}): Partial<PlanStep> {
  return { command: { container: 'worker', argv: ['/bin/sh', '-e'], script }, ...more };
}

async function touch(name: string): Promise<void> {
  await promises.writeFile(join(pod.workdir, name), '');
}

async function termination(part: string): Promise<void> {
  for (;;) {
    const text = await promises.readFile(pod.terminationLog, 'utf8').catch(() => '');
    if (text.includes(part)) return;
    await sleep(20);
  }
}

async function fileAppears(name: string): Promise<void> {
  while (!existsSync(join(pod.workdir, name))) await sleep(20);
}

/** Mulberry32: the same numbers for the same seed. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

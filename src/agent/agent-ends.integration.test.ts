import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  bundle,
  certificate,
  gateway,
  dropsCommandStream,
  plan,
  pod,
  sh,
  shims,
  start,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { childrenOf, ended, onlyChild } from '#testing/agent/local-pod.ts';

useAgent();

describe('cancelling a build', () => {
  const script = 'trap "echo stopped; exit 1" TERM; echo begun; sleep 1000 & wait';

  test('through the stream of commands ends the step, stores the log, and skips the rest', async () => {
    const agent = await start(plan([sh(script), sh('true')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('0')).toBe('begun\nstopped\n[cancelled]\n');
    expect(gateway.endOf('0')).toMatchObject({ status: 'cancelled', exitCode: 1 });
    expect(gateway.endOf('1')).toMatchObject({ status: 'skipped' });
    expect(gateway.end).toMatchObject({ outcome: 'cancelled', reason: 'Cancelled' });
  });

  test('works without the stream, through the next response', async () => {
    const agent = await start(
      plan([sh('while :; do echo tick; sleep 0.1; done'), sh('true')]),
      undefined,
      dropsCommandStream,
    );
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancelled = true;
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
  });

  test('ends a step that ignores signals', async () => {
    const agent = await start(plan([sh('trap "" TERM; echo begun; while :; do sleep 1; done')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('0')).toMatchObject({ status: 'cancelled', signal: 'SIGKILL' });
  });

  test('makes its outcome cancelled even if the step succeeds', async () => {
    const agent = await start(plan([sh('trap "exit 0" TERM; echo begun; sleep 1000 & wait')]));
    await gateway.when(() => gateway.log('0') !== '');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
  });

  test('before its containers started skips all steps', async () => {
    useGateway(new FakeGateway(certificate, { work: 'build', plan: plan([sh('true')]) }));
    gateway.cancelled = true;
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled' });
    expect(gateway.endOf('0')).toMatchObject({ status: 'skipped' });
  });
});

describe('when a part of the Pod ends', () => {
  test('a container is killed during a step: the agent reports no outcome and names the step', async () => {
    const agent = await start(plan([sh('echo begun; sleep 1000', { name: 'unit' })]));
    await gateway.when(() => gateway.log('0') !== '');
    for (const shimProcess of shims) process.kill(onlyChild(shimProcess), 'SIGKILL');
    expect(await ended(agent)).toBe(1);
    expect(gateway.endOf('0')).toMatchObject({ status: 'failed', message: 'the container worker ended' });
    expect(gateway.end).toBeUndefined();
    expect(gateway.log('0')).toBe('begun\n[the container worker ended]\n');
    expect(pod.termination()).toMatchObject({
      reason: 'AgentFault',
      message: 'Step unit: the container worker ended.',
      exits: { '0': null },
    });
  });

  test('the agent is killed: its containers and all of their processes end', async () => {
    const agent = await start(plan([sh('setsid sleep 1000 & echo begun; sleep 1000')]));
    await gateway.when(() => gateway.log('0') !== '');
    const stepProcesses = shims.flatMap((shimProcess) => childrenOf(onlyChild(shimProcess)));
    expect(stepProcesses).not.toEqual([]);
    agent.kill('SIGKILL');
    expect(await Promise.all(shims.map(ended))).toEqual([1]);
    expect(stepProcesses.filter((pid) => existsSync(`/proc/${pid}`))).toEqual([]);
    expect(gateway.end).toBeUndefined();
  });

  test('the Pod is terminated: the step gets time, the log is whole, and the gateway gets no outcome', async () => {
    const agent = await start(
      plan([sh('trap "echo last words; exit 0" TERM; echo begun; sleep 1000 & wait'), sh('true')]),
    );
    await gateway.when(() => gateway.log('0') !== '');
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(gateway.log('0')).toBe('begun\nlast words\n[the Pod was terminated]\n');
    expect(gateway.endOf('0')).toMatchObject({ status: 'cancelled' });
    expect(gateway.end).toBeUndefined();
    expect(pod.termination()).toMatchObject({
      outcome: 'failed',
      reason: 'PodLost',
      statuses: { '0': 'cancelled' },
    });
  });

  test('the Pod is terminated during a hook of the job: the outcome says that no notification was sent', async () => {
    const step = { id: 'notification.0', kind: 'notify' as const, name: 'chat.ops', env: {}, ...sh('true') };
    const onFailure = [
      { id: 'on_failure.0', kind: 'command' as const, name: 'undo', env: {}, ...sh('echo undo; sleep 1000') },
    ];
    const agent = await start(
      plan([sh('exit 1')], { hooks: { onFailure }, notifications: [{ on: ['failure'], step }] }),
    );
    await gateway.when(() => gateway.log('on_failure.0') !== '');
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(0);
    expect(gateway.endOf('on_failure.0')).toMatchObject({ status: 'cancelled' });
    expect(gateway.startedSteps()).toEqual(['0', 'on_failure.0']);
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'StepFailed', notified: false });
  });

  test('a container is terminated before the agent: its step is cancelled, whatever its exit code', async () => {
    const agent = await start(
      plan([sh('trap "echo told; exit 0" TERM; echo begun; sleep 1000 & wait'), sh('touch never')]),
    );
    await gateway.when(() => gateway.log('0') !== '');
    for (const shimProcess of shims) process.kill(onlyChild(shimProcess), 'SIGTERM');
    await gateway.when(() => gateway.log('0').includes('told'));
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(gateway.endOf('0')).toMatchObject({ status: 'cancelled' });
    expect(existsSync(join(pod.workdir, 'never'))).toBe(false);
  });

  test('a step that terminates its own container fails, with any exit code', async () => {
    const agent = await start(
      plan([sh('trap "" TERM; kill -15 1; exit 0', { name: 'unit' }), sh('touch never')]),
    );
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step unit: its container was terminated while the command ran.',
    });
    expect(existsSync(join(pod.workdir, 'never'))).toBe(false);
  });

  test('the Pod is terminated before it has work: the agent exits', async () => {
    const agent = await start(plan([sh('true')]), undefined, () => ({ delay: 3_600_000 }));
    await gateway.when(() => gateway.connections > 0);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ reason: 'PodLost', exits: {} });
  });

  test('a plan in an unknown format: the agent asks for another one until it is terminated', async () => {
    useGateway(new FakeGateway(certificate, JSON.parse('{"work":"build","plan":{"format":2}}')));
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    await gateway.when(() => gateway.sessions.length > 1);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
  });
});

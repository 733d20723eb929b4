import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { SessionConfirmation } from '#domain/build/agent-protocol.ts';
import {
  bundle,
  certificate,
  understandsNoEvents,
  fileAppears,
  gateway,
  generator,
  refusesEvents,
  plan,
  pod,
  push,
  sh,
  shims,
  start,
  terminationContains,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway, type RequestFailure } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';
import { makeCertificate } from '#testing/network/certificate.ts';

useAgent();

describe('a gateway with faults', () => {
  test.each([1, 2, 3, 4])('loses and duplicates no event (seed %d)', async (seed) => {
    const random = generator(seed);
    const mishaps: (RequestFailure | undefined)[] = [
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

  test('that is unavailable during much output gets all of it later', async () => {
    let isUnavailable = true;
    const script = 'seq 2000000; touch printed';
    const agent = await start(plan([sh(script)]), undefined, (path) =>
      isUnavailable && path.endsWith('/events') ? 'refuse' : undefined,
    );
    await fileAppears('printed');
    isUnavailable = false;
    expect(await ended(agent)).toBe(0);
    const expected = createHash('sha256');
    for (let line = 1; line <= 2_000_000; line += 1) expected.update(`${line}\n`);
    expect(createHash('sha256').update(gateway.log('0')).digest('hex')).toBe(expected.digest('hex'));
  });

  test('delays a put until its start is recorded', async () => {
    let isUnavailable = true;
    let refused = 0;
    const steps = [sh('touch before'), sh('touch pushed', { kind: 'put', name: 'git.app' })];
    const agent = await start(plan(steps), undefined, (path) => {
      if (!isUnavailable || !path.endsWith('/events')) return undefined;
      refused += 1;
      return 'refuse';
    });
    await fileAppears('before');
    const refusedBefore = refused;
    await gateway.when(() => refused > refusedBefore + 3);
    expect(existsSync(join(pod.workdir, 'pushed'))).toBe(false);
    isUnavailable = false;
    expect(await ended(agent)).toBe(0);
    expect(existsSync(join(pod.workdir, 'pushed'))).toBe(true);
  });

  describe('that has not confirmed the session yet', () => {
    test('gives the work at once, and no put runs before it confirms', async () => {
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

    test('and then refuses it ends the work that began', async () => {
      const { promise, resolve } = Promise.withResolvers<SessionConfirmation>();
      const agent = await start(plan([sh('touch begun; sleep 1000')]), undefined, undefined, promise);
      await fileAppears('begun');
      resolve({ confirmed: false, status: 401 });
      expect(await ended(agent)).toBe(1);
      expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentAuthentication' });
      expect(await Promise.all(shims.map(ended))).toEqual([0]);
    });

    test('and answers 503 is asked again, and the work runs once', async () => {
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

  describe('that fails during a put', () => {
    test('finds the version of the put in the termination message of a build that has ended', async () => {
      const agent = await start(plan([push('abc')]), undefined, refusesEvents);
      await terminationContains('"succeeded"');
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

    test('finds the version of the put even if the agent is killed in a later step', async () => {
      const agent = await start(plan([push('abc'), sh('sleep 1000')]), undefined, refusesEvents);
      await terminationContains('"abc"');
      agent.kill('SIGKILL');
      await ended(agent);
      expect(pod.termination()).toMatchObject({
        outcome: 'failed',
        message: '',
        versions: { '0': { ref: 'abc' } },
      });
    });

    test('finds no version in the message if the version is too long, and can see that it is missing', async () => {
      const agent = await start(plan([push('v'.repeat(5000))]), undefined, refusesEvents);
      await terminationContains('"succeeded"');
      agent.kill('SIGKILL');
      await ended(agent);
      expect(pod.termination()).toMatchObject({ outcome: 'succeeded', exits: { '0': 0 } });
      expect(pod.termination()).not.toHaveProperty('versions');
    });
  });

  test('that ends the session ends the agent and its containers', async () => {
    let isSessionOver = false;
    const agent = await start(plan([sh('sleep 1000')]), undefined, (path) =>
      isSessionOver && path.endsWith('/events') ? 'unauthorized' : undefined,
    );
    await gateway.when(() => gateway.events.length > 0);
    isSessionOver = true;
    gateway.breakStreams();
    gateway.failure = () => 'unauthorized';
    expect(await ended(agent)).toBe(1);
    expect(gateway.end).toBeUndefined();
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentAuthentication' });
    expect(await Promise.all(shims.map(ended))).toEqual([0]);
  });

  test('that sends an invalid response ends the build instead of hanging it', async () => {
    const agent = await start(plan([sh('sleep 1000')]), undefined, understandsNoEvents);
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'AgentFault' });
  });

  test('that refuses only the event of the end finds the end in the termination message', async () => {
    const agent = await start(plan([sh('sleep 0.3; exit 3')]), undefined, (path) =>
      path.endsWith('/events') && gateway.events.length > 0 ? 'not-understood' : undefined,
    );
    expect(await ended(agent)).toBe(0);
    expect(pod.termination()).toMatchObject({ outcome: 'failed', reason: 'StepFailed', exits: { '0': 3 } });
  });

  test('that refuses the session finds its refusal in the termination message', async () => {
    const agent = await start(plan([sh('true')]), undefined, () => 'unauthorized');
    expect(await ended(agent)).toBe(1);
    expect(pod.termination()).toMatchObject({ reason: 'AgentAuthentication', exits: {} });
  });

  test('with another certificate gets no request', async () => {
    const otherCertificate = await makeCertificate();
    useGateway(new FakeGateway(otherCertificate, { work: 'build', plan: plan([sh('true')]) }));
    await gateway.open();
    const agent = pod.startAgent(bundle, gateway.url, certificate.cert);
    // A second connection proves that the agent refused the certificate of the first one.
    await gateway.when(() => gateway.connections > 1);
    expect(gateway.sessions).toEqual([]);
    agent.kill('SIGTERM');
    expect(await ended(agent)).toBe(1);
  });
});

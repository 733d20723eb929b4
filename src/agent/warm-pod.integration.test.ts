import type { ChildProcess } from 'node:child_process';
import { expect, test } from '@jest/globals';
import {
  bundle,
  certificate,
  gateway,
  plan,
  pod,
  sh,
  shim,
  useAgent,
  useGateway,
} from '#testing/agent/agent-under-test.ts';
import { FakeGateway } from '#testing/agent/fake-gateway.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/** Starts the agent and the step container of a warm Pod, which a build with this script can take. */
async function startWarm(script: string): Promise<{ agent: ChildProcess; container: ChildProcess }> {
  const warmGateway = new FakeGateway(certificate, { work: 'build', plan: plan([sh(script)]) });
  warmGateway.isWarm = true;
  useGateway(warmGateway);
  await warmGateway.open();
  const container = pod.startShim(shim, 'worker');
  const environment = { MILLRACE_CONTAINERS: 'worker' };
  return { agent: pod.startAgent(bundle, warmGateway.url, certificate.cert, environment), container };
}

test('a warm Pod ends half a second after its build, to leave the processor to downstream builds', async () => {
  const { agent, container } = await startWarm('echo warm');
  gateway.takePod();
  await gateway.when(() => gateway.end !== undefined);
  const endedAt = performance.now();
  expect(gateway.log('0')).toBe('warm\n');
  expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  await ended(container);
  expect(await ended(agent)).toBe(0);
  expect(performance.now() - endedAt).toBeGreaterThan(450);
});

test('a warm Pod that is terminated keeps the outcome of its build', async () => {
  const { agent, container } = await startWarm('echo warm');
  gateway.takePod();
  await gateway.when(() => gateway.end !== undefined);
  agent.kill('SIGTERM');
  await ended(container);
  expect(await ended(agent)).toBe(0);
  expect(pod.termination()).toMatchObject({ outcome: 'succeeded' });
});

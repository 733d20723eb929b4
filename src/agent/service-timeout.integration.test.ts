import { describe, expect, test } from '@jest/globals';
import type { Plan, PlanService } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* The time of a whole service, with a real agent and real shims. */

const command = (script: string) => ({
  command: { container: 'service-1-db', argv: ['/bin/sh', '-e'], script },
  env: {},
});
const ready = { ...command('[ -e up ]'), intervalSeconds: 0.05, timeoutSeconds: 120 };

async function run(
  script: string,
  service: Partial<PlanService>,
  more: Partial<Plan> = {},
  step = '[ -e up ]',
): Promise<void> {
  const foreground = { ...command(script), staysInForeground: true };
  const services = [{ id: 'service.0', name: 'db', start: foreground, ...service }];
  const containers = [{ name: 'worker' }, { name: 'service-1-db', service: 'db' }];
  expect(await ended(await start({ ...plan([sh(step)]), containers, services, ...more }))).toBe(0);
}

describe('the timeout of a service', () => {
  const slow = { ...command('sleep 60'), staysInForeground: false };
  test.each([
    ['start', { start: slow }],
    ['readiness', { ready }],
  ])('covers its %s, fails the build, and shows the timeout to hooks', async (phase, service) => {
    const hook = { kind: 'command' as const, name: 'shell', env: {} };
    const printTimedOut = sh('echo "out of time: $BUILD_TIMED_OUT, $BUILD_STATUS, $BUILD_REASON"');
    const hooks = {
      onFailure: [{ id: 'on_failure.0', ...hook, ...printTimedOut }],
      ensure: [{ id: 'ensure.0', ...hook, ...printTimedOut }],
    };
    await run('sleep 60', { timeoutSeconds: 5, ...service }, { hooks });
    const message = 'The service db failed: not ready after 5s.';
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'ServiceFailed', message });
    for (const id of ['on_failure.0', 'ensure.0'])
      expect(gateway.log(id)).toBe('out of time: true, failed, ServiceFailed\n');
    const phaseEnd = gateway.endOf(phase === 'start' ? 'service.0.start' : 'service.0.ready');
    expect(phaseEnd).toMatchObject({ status: 'failed', message: 'not ready after 5s' });
    expect(gateway.endOf('0')).toMatchObject({ status: 'skipped' });
    expect(gateway.startedSteps().slice(-3)).toEqual(['on_failure.0', 'ensure.0', 'service.0.stop']);
  });

  test('covers its wait for a secret that has no value yet', async () => {
    const services = [{ id: 'service.0', name: 'db', needsSecrets: true as const, timeoutSeconds: 0.5 }];
    const agent = await start({ ...plan([sh('true')]), services });
    gateway.secrets = () => ({ answer: 'wait', reason: 'It is sealed.' });
    expect(await ended(agent)).toBe(0);
    const message = 'The service db failed: not ready after 0.5s.';
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'ServiceFailed', message });
    expect(gateway.log('service.0.start')).toBe('[db] [not ready after 0.5s]\n');
  });

  test('ends once the service is ready', async () => {
    await run('touch up; sleep 60', { ready, timeoutSeconds: 10 }, {}, 'sleep 11; [ -e up ]');
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });
});

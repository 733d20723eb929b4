import { describe, expect, test } from '@jest/globals';
import type { Plan, PlanService } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

/* The time of a whole service, with a real agent and real shims. */

const command = (script: string) => ({
  command: { container: 'service-1-db', argv: ['/bin/sh', '-e'], script },
  env: {},
});
const ready = { ...command('[ -e up ]'), intervalSeconds: 0.05, timeoutSeconds: 20 };

async function run(script: string, service: Partial<PlanService>, more: Partial<Plan> = {}): Promise<void> {
  const foreground = { ...command(script), staysInForeground: true };
  const services = [{ id: 'service.0', name: 'db', start: foreground, ...service }];
  const containers = [{ name: 'worker' }, { name: 'service-1-db', service: 'db' }];
  expect(
    await ended(await start({ ...plan([sh('sleep 1; [ -e up ]')]), containers, services, ...more })),
  ).toBe(0);
}

describe('the timeout of a service', () => {
  const slow = { ...command('sleep 60'), staysInForeground: false };
  test.each([
    ['start', { start: slow }],
    ['readiness', { ready }],
  ])('covers its %s, fails the build, and hooks see that', async (_, service) => {
    const hook = { id: 'on_failure.0', kind: 'command' as const, name: 'shell', env: {} };
    const onFailure = [{ ...hook, ...sh('echo "out of time: $BUILD_TIMED_OUT"') }];
    await run('sleep 60', { timeoutSeconds: 0.5, ...service }, { hooks: { onFailure } });
    const message = 'The service db failed: not ready after 0.5s.';
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'ServiceFailed', message });
    expect(gateway.log('on_failure.0')).toBe('out of time: true\n');
  });

  test('ends once the service is ready', async () => {
    await run('touch up; sleep 60', { ready, timeoutSeconds: 0.9 });
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });
});

import { describe, expect, test } from '@jest/globals';
import type { PlanNode, PlanStep } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start, touch, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* Services beside the steps, with a real agent and real shims. */

const step = (id: string, script: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: {},
  ...sh(script),
  ...more,
});

async function run(steps: PlanNode[], more: Partial<ReturnType<typeof plan>> = {}): Promise<void> {
  expect(await ended(await start({ ...plan([]), ...more, steps }))).toBe(0);
}

const statuses = (...ids: string[]): (string | undefined)[] =>
  ids.map((id) => gateway.endsOf(id).at(-1)?.status);

const command = (script: string) => ({
  command: { container: 'service-1-db', argv: ['/bin/sh', '-e'], script },
  env: {},
});

describe('services', () => {
  const service = (script: string, more: Partial<ReturnType<typeof plan>['services'][number]> = {}) => ({
    id: 'service.0',
    name: 'db',
    start: { ...command(script), staysInForeground: true },
    ...more,
  });
  const containers = [{ name: 'worker' }, { name: 'service-1-db', service: 'db' }];
  const ready = { ...command('[ -e up ]'), intervalSeconds: 0.05, timeoutSeconds: 120 };

  test('run beside the steps until after the hooks, and each line of their log begins with their name', async () => {
    const script = 'trap "rm up; exit 0" TERM; echo one; echo two; touch up; while :; do sleep 0.05; done';
    const hooks = { ensure: [step('ensure.0', 'ls up')] };
    await run([step('0', 'ls up')], { containers, services: [service(script, { ready })], hooks });
    expect(gateway.log('service.0.start')).toMatch(/^\[db\] one\n\[db\] two\n/);
    expect(gateway.startedSteps()).toEqual([
      'service.0.start',
      'service.0.ready',
      '0',
      'ensure.0',
      'service.0.stop',
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('that die before they are ready fail the build, and the hooks run', async () => {
    const hooks = { onFailure: [step('on_failure.0', 'true')] };
    await run([step('0', 'true')], { containers, services: [service('exit 4', { ready })], hooks });
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'ServiceFailed',
      message: 'The service db failed: it ended before it was ready: exit code 4.',
    });
    expect(statuses('0', 'on_failure.0')).toEqual(['skipped', 'succeeded']);
  });

  test('that are never ready fail the build when the time of their readiness check is over', async () => {
    const late = { ...ready, timeoutSeconds: 1 };
    await run([step('0', 'true')], { containers, services: [service('sleep 60', { ready: late })] });
    expect(gateway.end).toMatchObject({
      reason: 'ServiceFailed',
      message: 'The service db failed: not ready after 1s.',
    });
  });

  test('that die after they were ready add a line to their log, and the build succeeds', async () => {
    const steps = [step('0', 'touch stop; until [ -e seen ]; do sleep 0.02; done')];
    const agent = await start({
      ...plan([]),
      containers,
      services: [service('until [ -e stop ]; do sleep 0.02; done; exit 9')],
      steps,
    });
    // The step goes on only after the agent has noticed the death, however busy the machine is.
    await gateway.when(() => gateway.log('service.0.start') !== '');
    await touch('seen');
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('service.0.start')).toBe('[db] [db ended by itself: exit code 9]\n');
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('whose start command ends keep their processes until the stop', async () => {
    const beating = {
      ...command('(trap "exit 0" TERM; while :; do echo beat >>pulse; sleep 0.05; done) & echo $! >pid'),
      staysInForeground: false,
    };
    const stop = command('kill $(cat pid)');
    const steps = [step('0', 'rm pulse; until [ -s pulse ]; do sleep 0.02; done')];
    await run(steps, { containers, services: [{ id: 'service.0', name: 'db', start: beating, stop }] });
    expect(statuses('service.0.start', '0', 'service.0.stop')).toEqual([
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
  });

  const beat = 'while :; do echo beat >>pulse; sleep 0.05; done';
  test.each([
    ['a process in its own session, whose start command ended', `setsid sh -c '${beat}' &`, false],
    [
      'a process that ignores signals, whose start command ended',
      `sh -c 'trap "" TERM HUP INT; ${beat}' &`,
      false,
    ],
    [
      'a service in the foreground',
      `setsid sh -c '${beat}' & trap 'exit 0' TERM; while :; do sleep 0.05; done`,
      true,
    ],
  ])('leave no process behind after their stop: %s', async (_, script, staysInForeground) => {
    const startCommand = { ...command(script), staysInForeground };
    const printSizes = 'stat -c %s pulse; sleep 1; stat -c %s pulse';
    const notification = step('notification.0', printSizes, { kind: 'notify', name: 'chat.ops' });
    await run([step('0', 'until [ -s pulse ]; do sleep 0.02; done')], {
      containers,
      services: [{ id: 'service.0', name: 'db', start: startCommand, stop: command('true') }],
      notifications: [{ on: ['success'], step: notification }],
    });
    expect(statuses('service.0.stop', 'notification.0')).toEqual(['succeeded', 'succeeded']);
    const [before, after] = gateway.log('notification.0').trim().split('\n');
    expect(Number(before)).toBeGreaterThan(0);
    expect(after).toBe(before);
  });
});

import { describe, expect, test } from '@jest/globals';
import type { Plan, PlanNode, PlanStep } from '#domain/planning/plan.ts';
import { gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/*
 * Hooks of steps that could not run, timed out, or did not make the hook's inputs, with a real agent and
 * shims.
 */

const step = (id: string, script: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: {},
  ...sh(script),
  ...more,
});

const LANES = [
  { name: 'worker', pool: 'worker' },
  { name: 'worker-lane-2', pool: 'worker' },
];

async function run(steps: PlanNode[], more: Partial<Plan> = {}): Promise<void> {
  expect(await ended(await start({ ...plan([]), ...more, steps }))).toBe(0);
}

const statuses = (...ids: string[]): (string | undefined)[] =>
  ids.map((id) => gateway.endsOf(id).at(-1)?.status);

const logs = (...ids: string[]): string[] => ids.map((id) => gateway.log(id));

describe('a hook whose inputs the failed step did not make', () => {
  const report = step('0.on_failure.0', 'touch never', { inputs: ['out/report.xml', 'out/log'] });
  const clean = step('0.ensure.0', 'test ! -e never');

  test('fails with the names of its inputs, and changes neither later hooks nor the outcome of the build', async () => {
    const next = step('0.on_failure.1', 'echo next');
    const hooks = { onFailure: [report, next], ensure: [clean] };
    await run([step('0', 'exit 3', { hooks })], { hooks: { onFailure: [step('on_failure.0', 'true')] } });
    expect(gateway.log('0.on_failure.0')).toBe('[its inputs out/report.xml, out/log do not exist]\n');
    expect(gateway.startedSteps()).toEqual([
      '0',
      '0.on_failure.0',
      '0.on_failure.1',
      '0.ensure.0',
      'on_failure.0',
    ]);
    expect(statuses('0.on_failure.0', '0.on_failure.1', '0.ensure.0', 'on_failure.0')).toEqual([
      'failed',
      'succeeded',
      'succeeded',
      'succeeded',
    ]);
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'StepFailed',
      message: 'Step 0: exit code 3.',
    });
  });

  test('runs if the step made the inputs before it failed', async () => {
    const onFailure = [step('0.on_failure.0', 'cat out/log', { inputs: ['out/log'] })];
    await run([step('0', 'mkdir out; echo half >out/log; exit 3', { hooks: { onFailure } })]);
    expect(gateway.log('0.on_failure.0')).toBe('half\n');
  });
});

describe('hooks of a step run even if its command did not start', () => {
  const hooks = {
    onSuccess: [step('0.on_success.0', 'true')],
    onFailure: [step('0.on_failure.0', 'echo ${BUILD_TIMED_OUT-in time}')],
    ensure: [step('0.ensure.0', 'true')],
  };
  test.each<[sentence: string, step: PlanStep, why: string]>([
    [
      'its input is missing',
      step('0', 'true', { inputs: ['dist/app'] }),
      'its input dist/app does not exist',
    ],
    [
      'its program does not exist',
      { ...step('0', ''), command: { container: 'worker', argv: ['no-such-program'] } },
      'no-such-program: no such program (or the interpreter its first line names is missing)',
    ],
  ])('because %s', async (_, failing, why) => {
    await run([{ ...failing, hooks }, step('1', 'true')]);
    expect(gateway.startedSteps()).toEqual(['0', '0.on_failure.0', '0.ensure.0']);
    expect(gateway.log('0.on_failure.0')).toBe('in time\n');
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: `Step 0: ${why}.` });
  });
});

describe('the time limit', () => {
  const printTimedOut = 'echo ${BUILD_TIMED_OUT-in time}';
  const hooksOf = (id: string) => ({
    onFailure: [step(`${id}.on_failure.0`, printTimedOut)],
    onCancel: [step(`${id}.on_cancel.0`, printTimedOut)],
    ensure: [step(`${id}.ensure.0`, printTimedOut)],
  });

  test('of the job: if it is over, the hooks of the running step and of the job see that', async () => {
    const hooks = {
      onFailure: [step('on_failure.0', printTimedOut)],
      ensure: [step('ensure.0', printTimedOut)],
    };
    const steps = [
      step('0', 'sleep 60', { hooks: hooksOf('0') }),
      step('1', 'true', { hooks: hooksOf('1') }),
    ];
    await run(steps, { hooks, timeoutSeconds: 1 });
    const order = ['0', '0.on_failure.0', '0.ensure.0', 'on_failure.0', 'ensure.0'];
    expect(gateway.startedSteps()).toEqual(order);
    expect(logs(...order.slice(1))).toEqual(['true\n', 'true\n', 'true\n', 'true\n']);
    const message = 'The job ran longer than its 1 s.';
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'JobTimeout', message });
  });

  test('of a group: if it is over, the hooks of the group and of the steps that ran see that', async () => {
    const steps: PlanStep[] = [
      step('0.0', 'sleep 60', { hooks: hooksOf('0.0') }),
      // This get runs no command, so it has succeeded before the time is over.
      { id: '0.1', kind: 'get', name: 'cron.daily', env: {}, hooks: hooksOf('0.1') },
    ];
    const group: PlanNode = { id: '0', kind: 'parallel', failFast: false, timeoutSeconds: 1, steps };
    await run([{ ...group, hooks: hooksOf('0') }], { containers: LANES });
    expect(logs('0.0.on_failure.0', '0.0.ensure.0', '0.on_failure.0', '0.ensure.0')).toEqual(
      Array.from({ length: 4 }, () => 'true\n'),
    );
    expect(logs('0.1.ensure.0')).toEqual(['in time\n']);
    expect(gateway.startedSteps()).not.toContain('0.1.on_failure.0');
  });

  test('of a hook: if it is over, only this hook fails, and the next one runs', async () => {
    const onFailure = [
      step('0.on_failure.0', 'sleep 60', { timeoutSeconds: 1 }),
      step('0.on_failure.1', 'true'),
    ];
    await run([step('0', 'exit 3', { hooks: { onFailure } })]);
    expect(gateway.endsOf('0.on_failure.0')).toMatchObject([
      { status: 'failed', message: 'timed out after 1s' },
    ]);
    expect(statuses('0.on_failure.1')).toEqual(['succeeded']);
    expect(gateway.end).toMatchObject({ reason: 'StepFailed', message: 'Step 0: exit code 3.' });
  });
});

test('a hook that fails is repeated until its attempts are used up or it succeeds', async () => {
  const ensure = [step('0.ensure.0', 'echo x >>n; [ $(wc -l <n) = 2 ]', { attempts: 3 })];
  await run([step('0', 'true', { hooks: { ensure } })]);
  expect(gateway.log('0.ensure.0')).toBe('[exit code 1]\n--- attempt 2/3 ---\n');
  expect(statuses('0.ensure.0')).toEqual(['succeeded']);
});

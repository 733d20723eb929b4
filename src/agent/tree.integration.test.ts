import { describe, expect, test } from '@jest/globals';
import { parseCondition, type Condition } from '#domain/language/condition.ts';
import type { PlanBranch, PlanGroup, PlanNode, PlanStep } from '#domain/planning/plan.ts';
import { fileAppears, gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* Groups, branches, hooks, attempts and time limits, with a real agent and real shims. */

const step = (id: string, script: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: {},
  ...sh(script),
  ...more,
});

const group = (id: string, steps: PlanStep[], more: Partial<PlanGroup> = {}): PlanGroup => ({
  id,
  kind: 'parallel',
  failFast: false,
  steps,
  ...more,
});

function branch(id: string, condition: string | undefined, steps: PlanNode[]): PlanBranch {
  const parsed = condition === undefined ? undefined : parseCondition(condition);
  if (parsed !== undefined && 'reason' in parsed) throw new Error(parsed.reason);
  const parsedCondition: { condition?: Condition } = parsed === undefined ? {} : { condition: parsed };
  return { id, name: condition ?? 'else', ...parsedCondition, services: [], steps };
}

const LANES = [
  { name: 'worker', pool: 'worker' },
  { name: 'worker-lane-2', pool: 'worker' },
];

async function run(steps: PlanNode[], more: Partial<ReturnType<typeof plan>> = {}): Promise<void> {
  expect(await ended(await start({ ...plan([]), ...more, steps }))).toBe(0);
}

const statuses = (...ids: string[]): (string | undefined)[] =>
  ids.map((id) => gateway.endsOf(id).at(-1)?.status);

describe('a step whose secret has no value', () => {
  const refusal = 'The secret token has no value: the Secret has no such key.';

  test('fails with the reason after the steps before it, and its hooks run', async () => {
    const onFailure = [step('1.on_failure.0', 'echo told')];
    const refused = step('1', 'echo never', { refusal, attempts: 3, hooks: { onFailure } });
    await run([step('0', 'echo before'), refused, step('2', 'echo never')]);
    expect(statuses('0', '1', '1.on_failure.0', '2')).toEqual([
      'succeeded',
      'failed',
      'succeeded',
      'skipped',
    ]);
    expect(gateway.log('1')).toBe(`[${refusal}]\n`);
    expect(gateway.log('1.on_failure.0')).toBe('told\n');
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      reason: 'SecretMissing',
      message: `Step 1: ${refusal}`,
    });
  });

  test('does not fail the build if it is a hook', async () => {
    await run([
      step('0', 'echo done', { hooks: { ensure: [step('0.ensure.0', 'echo never', { refusal })] } }),
    ]);
    expect(statuses('0', '0.ensure.0')).toEqual(['succeeded', 'failed']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('hooks', () => {
  test('of the outcome run after their step, then ensure, and see what the step exported', async () => {
    const onSuccess = [step('0.on_success.0', 'echo good $TASK_0_KEY')];
    const onFailure = [step('0.on_failure.0', 'echo bad')];
    const ensure = [step('0.ensure.0', 'echo always')];
    const hooks = { onSuccess, onFailure, ensure };
    await run([step('0', 'echo KEY=v >>$SVC_OUTPUT', { exports: 'TASK_0_', hooks }), step('1', 'echo next')]);
    expect(gateway.log('0.on_success.0')).toBe('good v\n');
    expect(gateway.startedSteps()).toEqual(['0', '0.on_success.0', '0.ensure.0', '1']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('of the job see how the job ended, and a failing hook does not change the outcome', async () => {
    const onFailure = [step('on_failure.0', 'echo $BUILD_STATUS $BUILD_REASON; exit 1')];
    const ensure = [step('ensure.0', 'echo cleaned')];
    await run([step('0', 'exit 3'), step('1', 'echo never')], { hooks: { onFailure, ensure } });
    expect(gateway.log('on_failure.0')).toContain('failed StepFailed\n');
    expect(gateway.log('ensure.0')).toBe('cleaned\n');
    expect(statuses('0', '1', 'on_failure.0', 'ensure.0')).toEqual([
      'failed',
      'skipped',
      'failed',
      'succeeded',
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: 'Step 0: exit code 3.' });
  });

  test('run after a cancel: first on_cancel, then ensure', async () => {
    const hooks = {
      onCancel: [step('0.on_cancel.0', 'echo undone')],
      onFailure: [step('0.on_failure.0', 'echo no')],
      ensure: [step('0.ensure.0', 'echo always')],
    };
    const agent = await start({ ...plan([]), steps: [step('0', 'touch begun; sleep 60', { hooks })] });
    await fileAppears('begun');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.startedSteps()).toEqual(['0', '0.on_cancel.0', '0.ensure.0']);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled', reason: 'Cancelled' });
  });

  test('that run when a cancel arrives continue, and the outcome of the finished steps stays', async () => {
    const ensure = [step('ensure.0', 'touch begun; sleep 2; echo whole')];
    const agent = await start({ ...plan([]), steps: [step('0', 'true')], hooks: { ensure } });
    await fileAppears('begun');
    gateway.cancel();
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.log('ensure.0')).toBe('whole\n');
    expect(gateway.end).toMatchObject({ outcome: 'succeeded', reason: 'AllStepsSucceeded' });
  });

  test('see $BUILD_TIMED_OUT when their step ran out of time', async () => {
    const hooks = { onFailure: [step('0.on_failure.0', 'echo ${BUILD_TIMED_OUT-unset}')] };
    await run([step('0', 'sleep 60', { timeoutSeconds: 1, hooks })]);
    expect(gateway.log('0.on_failure.0')).toBe('true\n');
    expect(gateway.log('0')).toBe('[timed out after 1s]\n');
    expect(gateway.end).toMatchObject({ reason: 'StepTimeout', message: 'Step 0: timed out after 1s.' });
  });

  test('export to later hooks, and not to steps', async () => {
    const set = step('0.on_success.0', 'echo A=1 >>$SVC_OUTPUT', { exports: 'TASK_H_' });
    const hooks = { onSuccess: [set] };
    await run([step('0', 'true', { hooks }), step('1', 'echo [${TASK_H_A-}]')], {
      hooks: { ensure: [step('ensure.0', 'echo [$TASK_H_A]')] },
    });
    expect([gateway.log('1'), gateway.log('ensure.0')]).toEqual(['[]\n', '[1]\n']);
  });
});

describe('attempts', () => {
  test('repeat a step that fails; the log marks each, and the exports of failed ones are dropped', async () => {
    const script = 'echo OF=$(cat n 2>/dev/null) >>$SVC_OUTPUT; echo x >>n; [ $(wc -l <n) = 3 ]';
    const hooks = { onFailure: [step('0.on_failure.0', 'echo no')], ensure: [step('0.ensure.0', 'true')] };
    await run([step('0', script, { attempts: 4, hooks }), step('1', 'true')]);
    expect(gateway.log('0')).toBe('[exit code 1]\n--- attempt 2/4 ---\n[exit code 1]\n--- attempt 3/4 ---\n');
    expect(gateway.startedSteps()).toEqual(['0', '0', '0', '0.ensure.0', '1']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('that all fail make the step fail', async () => {
    await run([step('0', 'exit 7', { attempts: 2 })]);
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: 'Step 0: exit code 7.' });
  });
});

/** A script that ends only if a second one, with the two files in reverse order, runs at the same time. */
const meet = (ownFile: string, otherFile: string): string =>
  `touch ${ownFile}; until [ -e ${otherFile} ]; do sleep 0.02; done; echo K=${ownFile} >>$SVC_OUTPUT`;

describe('a group', () => {
  test('runs its steps in parallel, each in a container of its own, and exports what they set', async () => {
    const steps = [
      step('0.0', meet('a', 'b'), { exports: 'TASK_A_' }),
      step('0.1', meet('b', 'a'), { exports: 'TASK_B_' }),
    ];
    await run([group('0', steps), step('1', 'echo $TASK_A_K $TASK_B_K')], { containers: LANES });
    expect(gateway.log('1')).toBe('a b\n');
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('runs no more at a time than its limit', async () => {
    const script = 'mkdir one; sleep 0.05; rmdir one';
    const steps = ['0.0', '0.1', '0.2'].map((id) => step(id, script));
    await run([group('0', steps, { limit: 1 })], { containers: LANES });
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('lets all steps end when one fails, and fails with its reason', async () => {
    const steps = [step('0.0', 'exit 2'), step('0.1', 'sleep 0.3; touch done')];
    await run([group('0', steps), step('1', 'true')], { containers: LANES });
    expect(statuses('0', '0.0', '0.1', '1')).toEqual(['failed', 'failed', 'succeeded', 'skipped']);
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: 'Step 0.0: exit code 2.' });
  });

  test('with fail_fast cancels the others, whose hooks run, and skips those that have not begun', async () => {
    const hooks = { onCancel: [step('0.1.on_cancel.0', 'echo undone')] };
    const steps = [
      step('0.0', 'until [ -e begun ]; do sleep 0.02; done; exit 2'),
      step('0.1', 'touch begun; sleep 60', { hooks }),
      step('0.2', 'true'),
    ];
    await run([group('0', steps, { failFast: true, limit: 2 })], { containers: LANES });
    expect(statuses('0', '0.0', '0.1', '0.1.on_cancel.0', '0.2')).toEqual([
      'failed',
      'failed',
      'cancelled',
      'succeeded',
      'skipped',
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: 'Step 0.0: exit code 2.' });
  });

  test('runs out of time as a whole', async () => {
    const steps = [step('0.0', 'sleep 60'), step('0.1', 'true')];
    await run([group('0', steps, { timeoutSeconds: 1 })], { containers: LANES });
    expect(gateway.log('0.0')).toBe('[its group ran out of time]\n');
    expect(gateway.end).toMatchObject({ reason: 'StepTimeout', message: 'in_parallel timed out after 1s.' });
  });

  test('is repeated as a whole, with one line for the group', async () => {
    const steps = [
      step('0.0', 'echo x >>n'),
      step('0.1', 'until [ -s n ]; do sleep 0.02; done; [ $(wc -l <n) = 2 ]'),
    ];
    await run([group('0', steps, { attempts: 2, limit: 1 })], { containers: LANES });
    expect(gateway.log('0')).toBe('--- attempt 2/2 ---\n');
    expect(gateway.startedAttempts('0.0')).toEqual([undefined, 2]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('branches', () => {
  const steps = [
    step('0', 'echo KEY=b >>$SVC_OUTPUT', { exports: 'TASK_0_' }),
    {
      id: '1',
      kind: 'branches' as const,
      branches: [
        branch('1.0', '$TASK_0_KEY == a', [step('1.0.0', 'echo a')]),
        branch('1.1', '$TASK_0_KEY == b && $INPUT_LIST contains y', [step('1.1.0', 'echo b')]),
        branch('1.2', undefined, [step('1.2.0', 'echo else')]),
      ],
    },
  ];

  test('run the first whose condition holds, and record the others as skipped', async () => {
    await run(steps, { variables: { INPUT_LIST: 'x,y' }, listVariables: ['INPUT_LIST'] });
    expect(statuses('1.0', '1.1', '1.1.0', '1.2')).toEqual(['skipped', 'succeeded', 'succeeded', 'skipped']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('with `contains` compare whole members of a list', async () => {
    await run(steps, { variables: { INPUT_LIST: 'x,yy' }, listVariables: ['INPUT_LIST'] });
    expect(statuses('1.0', '1.1', '1.2', '1.2.0')).toEqual(['skipped', 'skipped', 'succeeded', 'succeeded']);
  });

  test('without a condition that holds run no step, and the build continues', async () => {
    await run([
      { id: '0', kind: 'branches', branches: [branch('0.0', '$BUILD_NUMBER == 9', [])] },
      step('1', 'true'),
    ]);
    expect(statuses('0.0', '1')).toEqual(['skipped', 'succeeded']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });
});

describe('inputs and outputs of a task', () => {
  test('that are missing fail the task before it runs', async () => {
    await run([step('0', 'touch never', { inputs: ['dist/app'] })]);
    expect(gateway.log('0')).toBe('[its input dist/app does not exist]\n');
    expect(gateway.end).toMatchObject({ outcome: 'failed' });
  });

  test('that exist let the task succeed', async () => {
    await run([
      step('0', 'mkdir dist; touch dist/app', { outputs: ['dist/app'] }),
      step('1', 'true', { inputs: ['dist'] }),
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('that are missing are all named', async () => {
    await run([step('0', 'true', { inputs: ['dist/app', '.', 'dist/map'] })]);
    expect(gateway.log('0')).toBe('[its inputs dist/app, dist/map do not exist]\n');
  });

  test('that are too large for an environment fail the task, and its hooks run', async () => {
    const ensure = [step('ensure.0', 'echo [${TASK_0_A-}]')];
    const script = 'printf A= >>$SVC_OUTPUT; head -c 140000 /dev/zero | tr "\\0" x >>$SVC_OUTPUT';
    await run([step('0', script, { exports: 'TASK_0_' })], { hooks: { ensure } });
    expect(gateway.end).toMatchObject({
      outcome: 'failed',
      message: expect.stringContaining('140009 bytes'),
    });
    expect(gateway.log('ensure.0')).toBe('[]\n');
  });

  test('that a task does not make fail the task, and its exports are dropped', async () => {
    const ensure = [step('ensure.0', 'echo [${TASK_0_A-}]')];
    await run([step('0', 'echo A=1 >>$SVC_OUTPUT', { outputs: ['dist'], exports: 'TASK_0_' })], {
      hooks: { ensure },
    });
    expect(gateway.end).toMatchObject({ message: 'Step 0: its output dist does not exist.' });
    expect(gateway.log('ensure.0')).toBe('[]\n');
  });
});

const notify = (id: string, script: string): PlanStep =>
  step(id, script, { kind: 'notify', message: 'Build $BUILD_NUMBER' });

describe('notifications', () => {
  test('among the steps do not fail the build if they fail', async () => {
    await run([notify('0', 'exit 1'), step('1', 'true')]);
    expect(statuses('0', '1')).toEqual(['failed', 'succeeded']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('for the outcome of the job are sent after its hooks, and see the status', async () => {
    const notifications = [
      { on: ['failure' as const], step: notify('notification.0', 'echo $notify_build_status') },
      { on: ['success' as const], step: notify('notification.1', 'echo no') },
    ];
    await run([step('0', 'exit 1')], { notifications, hooks: { ensure: [step('ensure.0', 'true')] } });
    expect(gateway.startedSteps()).toEqual(['0', 'ensure.0', 'notification.0']);
    expect(gateway.log('notification.0')).toBe('failed\n');
  });

  test.each<[previousOutcome: 'succeeded' | 'failed', script: string, sent: string[]]>([
    ['succeeded', 'true', []],
    ['succeeded', 'exit 1', ['notification.0']],
    ['failed', 'exit 1', []],
    ['failed', 'true', ['notification.0']],
  ])(
    'on changed, after a build that %s and with a step %j, are sent: %j',
    async (previousOutcome, script, sent) => {
      const notifications = [{ on: ['changed' as const], step: notify('notification.0', 'true') }];
      await run([step('0', script)], { notifications, previousOutcome });
      expect(gateway.startedSteps()).toEqual(['0', ...sent]);
    },
  );

  test('see why the build ended, and a failing notification does not change the outcome', async () => {
    const script = 'echo $BUILD_STATUS $BUILD_REASON ${BUILD_TIMED_OUT-}: $NOTIFY_MESSAGE; exit 1';
    const message = '$BUILD_STATUS ($BUILD_REASON)';
    const notifications = [
      { on: ['failure' as const], step: { ...notify('notification.0', script), message } },
    ];
    await run([step('0', 'sleep 60', { timeoutSeconds: 1 })], { notifications });
    expect(gateway.log('notification.0')).toContain('failed StepTimeout true: failed (StepTimeout)\n');
    expect(statuses('notification.0')).toEqual(['failed']);
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'StepTimeout' });
  });
});

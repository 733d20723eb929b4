import type { ChildProcess } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import { parseCondition } from '#domain/language/condition.ts';
import type { Plan, PlanBranch, PlanGroup, PlanNode, PlanService, PlanStep } from '#domain/planning/plan.ts';
import { fileAppears, gateway, plan, sh, start, useAgent } from '#testing/agent/agent-under-test.ts';
import { ended } from '#testing/agent/local-pod.ts';

useAgent();

/* Services of a branch, with a real agent and real shims. */

const step = (id: string, script: string): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: {},
  ...sh(script),
});

const command = (script: string) => ({
  command: { container: 'service-1-db', argv: ['/bin/sh', '-e'], script },
  env: {},
});

/** The start command of a service that keeps the file `up` for as long as it runs. */
const RUNNING = 'trap "rm up; exit 0" TERM; touch up; while :; do sleep 0.05; done';

const db = (script = RUNNING, more: Partial<PlanService> = {}): PlanService => ({
  id: 'service.0',
  name: 'db',
  start: { ...command(script), staysInForeground: true },
  ready: { ...command('[ -e up ]'), intervalSeconds: 0.05, timeoutSeconds: 60 },
  ...more,
});

/**
 * Returns step 1 of the plan: a branch with the services and steps, and an `else` branch without a service.
 */
function branches(services: PlanService[], steps: PlanNode[], condition = '$WITH_DB == yes'): PlanNode {
  const parsed = parseCondition(condition);
  if ('reason' in parsed) throw new Error(parsed.reason);
  const withDatabase: PlanBranch = { id: '1.0', name: condition, condition: parsed, services, steps };
  const withoutDatabase: PlanBranch = {
    id: '1.1',
    name: 'else',
    services: [],
    steps: [step('1.1.0', '[ ! -e up ]')],
  };
  return { id: '1', kind: 'branches', branches: [withDatabase, withoutDatabase] };
}

const lanes: PlanGroup = {
  id: '1.0.0',
  kind: 'parallel',
  failFast: false,
  limit: 1,
  steps: [step('1.0.0.0', 'ls up'), step('1.0.0.1', 'ls up')],
};
const containers = [
  { name: 'worker', pool: 'worker' },
  { name: 'worker-lane-2', pool: 'worker' },
  { name: 'service-1-db', service: 'db' },
];
const hooks = {
  onSuccess: [step('on_success.0', 'ls up')],
  onFailure: [step('on_failure.0', 'echo "$BUILD_STATUS $BUILD_REASON ${BUILD_TIMED_OUT-in time}"')],
  onCancel: [step('on_cancel.0', 'echo "$BUILD_STATUS"')],
  ensure: [step('ensure.0', 'true')],
};

const startWith = (steps: PlanNode[], more: Partial<Plan> = {}): Promise<ChildProcess> =>
  start({ ...plan([]), containers, hooks, variables: { WITH_DB: 'yes' }, ...more, steps });

async function run(steps: PlanNode[], more: Partial<Plan> = {}): Promise<void> {
  expect(await ended(await startWith(steps, more))).toBe(0);
}

const statuses = (...ids: string[]): (string | undefined)[] =>
  ids.map((id) => gateway.endsOf(id).at(-1)?.status);

describe('a service of a branch', () => {
  test('runs from when the branch is entered until after the hooks, beside parallel and later steps', async () => {
    await run([step('0', '[ ! -e up ]'), branches([db()], [lanes]), step('2', 'ls up')]);
    const steps = ['1.0.0', '1.0.0.0', '1.0.0.1', '2', 'on_success.0', 'ensure.0'];
    expect(gateway.startedSteps()).toEqual([
      '0',
      '1.0',
      'service.0.start',
      'service.0.ready',
      ...steps,
      'service.0.stop',
    ]);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('does not run if the branch is not taken', async () => {
    await run([step('0', 'true'), branches([db()], [lanes])], { variables: { WITH_DB: 'no' }, hooks: {} });
    expect(gateway.startedSteps()).toEqual(['0', '1.1', '1.1.0']);
    expect(statuses('1.0')).toEqual(['skipped']);
    expect(gateway.end).toMatchObject({ outcome: 'succeeded' });
  });

  test('that exits before it is ready fails the branch and the build, and stops after the hooks', async () => {
    await run([branches([db('echo no licence; exit 4')], [lanes]), step('2', 'true')]);
    expect(statuses('1.0', '1.0.0', '1.0.0.0', '2')).toEqual(['failed', 'skipped', 'skipped', 'skipped']);
    expect(gateway.startedSteps().slice(-3)).toEqual(['on_failure.0', 'ensure.0', 'service.0.stop']);
    expect(gateway.log('on_failure.0')).toBe('failed ServiceFailed in time\n');
    const message = 'The service db failed: it ended before it was ready: exit code 4.';
    expect(gateway.end).toMatchObject({ outcome: 'failed', reason: 'ServiceFailed', message });
    expect(gateway.endsOf('1.0')).toMatchObject([{ message }]);
  });

  test('stops after the hooks if a step of the branch fails', async () => {
    await run([branches([db()], [step('1.0.0', 'exit 3')])]);
    expect(gateway.startedSteps().slice(-3)).toEqual(['on_failure.0', 'ensure.0', 'service.0.stop']);
    expect(gateway.end).toMatchObject({ outcome: 'failed', message: 'Step 1.0.0: exit code 3.' });
  });

  test('that is starting when the build is cancelled ends its branch as cancelled, and on_cancel hooks run', async () => {
    const slow = db('touch begun; while :; do sleep 0.05; done');
    const agent = await startWith([branches([slow], [lanes])]);
    await fileAppears('begun');
    gateway.cancel();
    expect(await ended(agent)).toBe(0);
    expect(gateway.end).toMatchObject({ outcome: 'cancelled', reason: 'Cancelled' });
    expect(statuses('1.0', '1.0.0')).toEqual(['cancelled', 'skipped']);
    expect(gateway.startedSteps().slice(-3)).toEqual(['on_cancel.0', 'ensure.0', 'service.0.stop']);
    expect(gateway.log('on_cancel.0')).toBe('cancelled\n');
  });

  test.each([
    ['the job', { timeoutSeconds: 1 }, {}, 'failed JobTimeout true\n'],
    ['the service', {}, { timeoutSeconds: 1 }, 'failed ServiceFailed true\n'],
  ])(
    'that is still starting when %s times out: on_failure hooks see the timeout',
    async (_, job, service, log) => {
      await run([branches([db('sleep 60', service)], [lanes]), step('2', 'true')], job);
      expect(gateway.log('on_failure.0')).toBe(log);
      expect(gateway.startedSteps().slice(-3)).toEqual(['on_failure.0', 'ensure.0', 'service.0.stop']);
      expect(statuses('1.0', '2')).toEqual(['failed', 'skipped']);
    },
  );
});

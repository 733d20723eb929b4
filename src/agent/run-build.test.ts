import { tmpdir } from 'node:os';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, jest, test } from '@jest/globals';
import type { EventsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { NotificationEvent } from '#domain/pipeline/pipeline.ts';
import type { Plan, PlanNode, PlanNotification, PlanStep } from '#domain/planning/plan.ts';
import { SCRIPTED_CONTAINERS, ScriptedContainer, type ScriptedEnd } from '#testing/agent/scripted-build.ts';
import { Outbox } from './outbox.ts';
import { runBuild, type BuildConclusion } from './run-build.ts';
import { Spool } from './spool.ts';
import { Stop } from './stop.ts';

/*
 * Tests stops and cancels at different moments of a build. Commands of the fake containers end as each test
 * says.
 */

interface Stops {
  /** Stops the plan. */
  plan: Stop;
  /** Stops everything. */
  root: Stop;
}
/** Called when the command of a step starts. Absent: it succeeds. */
type Script = Record<string, (stops: Stops) => ScriptedEnd>;

interface Run {
  conclusion: BuildConclusion;
  events: BuildEvent[];
}

const doNothing = (): void => undefined;
const refuse = (): never => {
  throw new Error('no step has secrets or tokens');
};

const command = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: { STEP: id },
  command: { container: 'worker', argv: ['run'] },
  ...more,
});

async function run(steps: PlanNode[], script: Script, more: Partial<Plan> = {}): Promise<Run> {
  const plan: Plan = {
    format: 3,
    build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
    containers: SCRIPTED_CONTAINERS.map((name) => ({ name, pool: 'worker' })),
    workdir: '/work',
    timeoutSeconds: 600,
    services: [],
    steps,
    notifications: [],
    variables: {},
    ...more,
  };
  const events: BuildEvent[] = [];
  const root = new Stop();
  const stop = root.child();
  const send = async (body: Buffer) => {
    const { events: sent }: EventsRequest = JSON.parse(body.toString());
    events.push(...sent);
    return await Promise.resolve({ acknowledged: sent.at(-1)?.sequence ?? 0 });
  };
  const outbox = new Outbox(
    { send, onCancel: doNothing, onOver: doNothing, onRefused: doNothing },
    new Spool(tmpdir()),
  );
  const start = ({ env }: { env: Record<string, string> }): ScriptedEnd =>
    script[env['STEP'] ?? '']?.({ plan: stop, root }) ?? 'succeed';
  const shims = new Map(SCRIPTED_CONTAINERS.map((name) => [name, new ScriptedContainer(name, start)]));
  const work = { plan, shims, outbox, stop, root, onStepEnded: doNothing };
  const conclusion = await runBuild({ ...work, requestSecrets: refuse, fetchIdentity: refuse });
  await outbox.whenAcknowledged(outbox.flush());
  return { conclusion, events };
}

const ends = ({ events }: Run): string[] =>
  events.flatMap((event) => (event.type === 'step-ended' ? [`${event.step} ${event.status}`] : []));

const groupOf = (steps: PlanStep[]): PlanNode => ({
  id: '0',
  kind: 'parallel',
  failFast: true,
  limit: 2,
  steps,
});

describe('a group with fail_fast', () => {
  const slowHook = command('0.0.on_failure.0', { kind: 'command', timeoutSeconds: 0.2 });
  const failing = command('0.0', { hooks: { onFailure: [slowHook] } });
  test('cancels the others as soon as a step fails, not after its hooks', async () => {
    const onCancel = [command('0.1.on_cancel.0', { kind: 'command' })];
    const result = await run([groupOf([failing, command('0.1', { hooks: { onCancel } })])], {
      '0.0': () => 'fail',
      '0.0.on_failure.0': () => 'hang',
      '0.1': () => 'hang',
    });
    expect(ends(result)).toEqual([
      '0.0 failed',
      '0.1 cancelled',
      '0.1.on_cancel.0 succeeded',
      '0.0.on_failure.0 failed',
      '0 failed',
    ]);
  });

  test('starts no other step while the hooks of the failed step run', async () => {
    const steps = [failing, command('0.1'), command('0.2', { kind: 'put' })];
    const result = await run([groupOf(steps)], { '0.0': () => 'fail', '0.0.on_failure.0': () => 'hang' });
    expect(ends(result)).toContain('0.2 skipped');
  });
});

describe('a notify step that failed', () => {
  test('does not fail the build if the build is cancelled during its hooks', async () => {
    const onFailure = [command('0.on_failure.0', { kind: 'command' })];
    const notify = command('0', { kind: 'notify', hooks: { onFailure } });
    const result = await run([notify], {
      '0': () => 'fail',
      '0.on_failure.0': ({ plan }) => {
        plan.request('cancelled');
        return 'succeed';
      },
    });
    expect(ends(result)).toEqual(['0 failed', '0.on_failure.0 succeeded']);
    expect(result.conclusion.outcome).toBe('succeeded');
  });
});

const messages = ({ events }: Run): string[] =>
  events.flatMap((event) =>
    event.type === 'step-ended' && event.message !== undefined ? [event.message] : [],
  );

/** Lets 20 minutes pass for what runs with fake timers. */
async function passTime<Result>(running: Promise<Result>): Promise<Result> {
  for (let second = 0; second < 1200; second += 10) {
    await nextTurn();
    await jest.advanceTimersByTimeAsync(10_000);
  }
  jest.useRealTimers();
  return await running;
}

const cancelPlan = ({ plan }: Stops): ScriptedEnd => {
  plan.request('cancelled');
  return 'hang';
};

describe('a cancel', () => {
  test('during the hooks of a finished plan changes nothing', async () => {
    const onSuccess = ['on_success.0', 'on_success.1'].map((id) => command(id, { timeoutSeconds: 700 }));
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance'] });
    const running = run([command('0')], { 'on_success.0': cancelPlan }, { hooks: { onSuccess } });
    const result = await passTime(running);
    expect(ends(result)).toEqual(['0 succeeded', 'on_success.0 failed', 'on_success.1 succeeded']);
    expect(messages(result)).toEqual(['timed out after 11m40s']);
    expect(result.conclusion.outcome).toBe('succeeded');
  });
});

const terminate = ({ root }: Stops): ScriptedEnd => {
  root.request('terminated');
  return 'hang';
};

describe('an agent that is stopped after the plan', () => {
  const notification = (index: number, on: NotificationEvent[]): PlanNotification => ({
    on,
    step: command(`notification.${index}`, { kind: 'notify' }),
  });
  const notifications = [notification(0, ['success']), notification(1, ['success', 'failure'])];
  const hooks = { onSuccess: [command('on_success.0')] };

  test.each<[sentence: string, script: Script, notified: boolean]>([
    ['reports that it sent all', {}, true],
    ['during a hook, reports that it sent none', { 'on_success.0': terminate }, false],
    ['during the first, reports that it did not send all', { 'notification.0': terminate }, false],
    ['during the last, reports that it did not send all', { 'notification.1': terminate }, false],
  ])('%s', async (_, script, notified) => {
    const { conclusion } = await run([command('0')], script, { hooks, notifications });
    expect(conclusion).toMatchObject({ outcome: 'succeeded', known: true, notified });
  });

  test('reports that it sent all if no notification is due', async () => {
    const due = [notification(0, ['cancel'])];
    const script = { 'on_success.0': terminate };
    const { conclusion } = await run([command('0')], script, { hooks, notifications: due });
    expect(conclusion.notified).toBe(true);
  });

  test('by the time limit of hooks after a cancel sends no notification', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick', 'performance'] });
    const running = run(
      [command('0')],
      { '0': cancelPlan, 'on_cancel.0': () => 'hang' },
      {
        hooks: { onCancel: [command('on_cancel.0', { timeoutSeconds: 900 })] },
        notifications: [notification(0, ['cancel'])],
      },
    );
    const result = await passTime(running);
    expect(ends(result)).toEqual(['0 cancelled', 'on_cancel.0 failed']);
    expect(result.conclusion).toMatchObject({ outcome: 'cancelled', notified: false });
  });
});

test('a put in a hook that prints no version gets its params, with the build status filled in', async () => {
  const params = { tag: 'is-$BUILD_STATUS', why: '$BUILD_REASON' };
  const put = command('on_success.0', { kind: 'put', params });
  const { events } = await run([command('0')], {}, { hooks: { onSuccess: [put] } });
  const version = { tag: 'is-succeeded', why: 'AllStepsSucceeded' };
  expect(events).toContainEqual(expect.objectContaining({ step: 'on_success.0', version }));
});

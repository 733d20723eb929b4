import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { EventsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent } from '#domain/build/events.ts';
import type { Plan, PlanStep } from '#domain/planning/plan.ts';
import { PrintingContainer } from '#testing/agent/printing-container.ts';
import { Outbox } from './outbox.ts';
import { runBuild } from './run-build.ts';
import { Spool } from './spool.ts';
import { Stop } from './stop.ts';

const LONG_MS = 1000;
const LIMIT_SECONDS = 0.5;

const doNothing = (): void => undefined;
const refuse = (): never => {
  throw new Error('no step has secrets or tokens');
};

const task = (id: string, more: Partial<PlanStep> = {}): PlanStep => ({
  id,
  kind: 'task',
  name: id,
  env: { STEP: id },
  command: { container: 'worker', argv: ['run'] },
  ...more,
});

/** Two steps in parallel, of which only one has a container at a time. */
const groupPlan = (timeoutSeconds: number | undefined, more: Partial<PlanStep> = {}): Plan => ({
  format: 3,
  build: { id: '1', team: 'team', pipeline: 'p', job: 'j', number: '1', attempt: 1 },
  containers: [{ name: 'worker' }],
  workdir: '/work',
  timeoutSeconds: 600,
  services: [],
  steps: [
    {
      id: '0',
      kind: 'parallel',
      limit: 2,
      failFast: false,
      steps: [task('long'), task('limited', { timeoutSeconds: LIMIT_SECONDS, ...more })],
      ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    },
  ],
  notifications: [],
  variables: {},
});

/** Runs the plan, whose step `long` takes a second. Returns how each step ended. */
async function endsOf(plan: Plan): Promise<Record<string, string>> {
  const events: BuildEvent[] = [];
  const send = async (body: Buffer) => {
    const { events: sent }: EventsRequest = JSON.parse(body.toString());
    events.push(...sent);
    return await Promise.resolve({ acknowledged: sent.at(-1)?.sequence ?? 0 });
  };
  const links = { send, onCancel: doNothing, onOver: doNothing, onRefused: doNothing };
  const outbox = new Outbox(links, new Spool(tmpdir()));
  const shim = new PrintingContainer('worker', ({ env }) =>
    env['STEP'] === 'long' ? { until: pause(LONG_MS) } : {},
  );
  const root = new Stop();
  const work = { plan, shims: new Map([['worker', shim]]), outbox, stop: root.child(), root };
  await runBuild({ ...work, onStepEnded: doNothing, requestSecrets: refuse, fetchIdentity: refuse });
  await outbox.whenAcknowledged(outbox.flush());
  return Object.fromEntries(
    events.flatMap((event) =>
      event.type === 'step-ended' ? [[event.step, event.message ?? event.status]] : [],
    ),
  );
}

test('the timeout of a step begins when a container is free', async () => {
  expect(await endsOf(groupPlan(undefined))).toMatchObject({ long: 'succeeded', limited: 'succeeded' });
});

test('a step that waits for a container when its group runs out of time is skipped, and so are its hooks', async () => {
  const plan = groupPlan(LIMIT_SECONDS, { hooks: { ensure: [task('hook')] } });
  expect(await endsOf(plan)).toMatchObject({ long: 'its group ran out of time', limited: 'skipped' });
  expect(Object.keys(await endsOf(plan))).not.toContain('hook');
});

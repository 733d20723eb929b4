import { tmpdir } from 'node:os';
import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { ShimCommand } from '#adapters/process/shim-commands.ts';
import type { EventsRequest } from '#domain/build/agent-protocol.ts';
import type { BuildEvent, StepStatus } from '#domain/build/events.ts';
import type { PlanHooks, PlanNode } from '#domain/planning/plan.ts';
import {
  arbitraryBuild,
  SCRIPTED_CONTAINERS,
  ScriptedBuild,
  ScriptedContainer,
  type ScriptedEnd,
} from '#testing/agent/scripted-build.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { Outbox } from './outbox.ts';
import { runBuild, type BuildConclusion } from './run-build.ts';
import { Spool } from './spool.ts';
import { Stop } from './stop.ts';

interface RunResult {
  conclusion: BuildConclusion;
  events: BuildEvent[];
  /** The commands that ran: the step of each, and whether the command saw that time ran out. */
  commands: { step: string; timedOut: boolean }[];
}

const doNothing = (): void => undefined;
const refuse = (): never => {
  throw new Error('no step has secrets or tokens');
};

async function run(build: ScriptedBuild, cancelAt: number | undefined): Promise<RunResult> {
  const events: BuildEvent[] = [];
  const commands: RunResult['commands'] = [];
  const root = new Stop();
  const stop = root.child();
  const start = ({ env }: ShimCommand): ScriptedEnd => {
    const { STEP: step = '', BUILD_TIMED_OUT: timedOut } = env;
    commands.push({ step, timedOut: timedOut === 'true' });
    if (commands.length === cancelAt) stop.request('cancelled');
    return build.next(step);
  };
  const send = async (body: Buffer) => {
    const { events: sent }: EventsRequest = JSON.parse(body.toString());
    events.push(...sent);
    return await Promise.resolve({ acknowledged: sent.at(-1)?.sequence ?? 0 });
  };
  const links = { send, onCancel: doNothing, onOver: doNothing, onRefused: doNothing };
  const outbox = new Outbox(links, new Spool(tmpdir()));
  const shims = new Map(SCRIPTED_CONTAINERS.map((name) => [name, new ScriptedContainer(name, start)]));
  const work = { plan: build.plan, shims, outbox, stop, root, onStepEnded: doNothing };
  const conclusion = await runBuild({ ...work, requestSecrets: refuse, fetchIdentity: refuse });
  await outbox.whenAcknowledged(outbox.flush());
  return { conclusion, events, commands };
}

/** The hooks that should run after a status, in their order. Does not use the agent's code. */
function expectedHooks(
  { onSuccess, onFailure, onCancel, ensure = [] }: PlanHooks,
  status: StepStatus,
): string[] {
  const ofStatus =
    { succeeded: onSuccess, failed: onFailure, cancelled: onCancel, skipped: [] }[status] ?? [];
  return status === 'skipped' ? [] : [...ofStatus, ...ensure].map(({ id }) => id);
}

/** Whether a step is a hook of the step or group `owner`, or, if that is empty, of the job. */
function isHookOf(owner: string, step: string): boolean {
  const prefix = owner === '' ? '' : `${owner}.`;
  return step.startsWith(prefix) && HOOK.test(step.slice(prefix.length));
}

const HOOK = /^(?:on_success|on_failure|on_cancel|ensure)\.\d$/;

/** The starts and ends of one step or group and of its hooks, in their order. */
function history(owner: string, events: readonly BuildEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'step-started' && event.type !== 'step-ended') return [];
    if (event.step !== owner && !isHookOf(owner, event.step)) return [];
    if (event.type === 'step-started') return [`start ${event.step}`];
    return [`${event.step === owner ? event.status : 'end'} ${event.step}`];
  });
}

const hookHistory = (hooks: readonly string[]): string[] =>
  hooks.flatMap((id) => [`start ${id}`, `end ${id}`]);

function checkHooks(owner: string, hooks: PlanHooks, { events }: RunResult): void {
  const happened = history(owner, events);
  const ends = events.filter((event) => event.type === 'step-ended').filter(({ step }) => step === owner);
  // The step starts before it ends, and each of its hooks starts and ends after the end of the step.
  const expected = ends.flatMap(({ status }) => [
    `${status} ${owner}`,
    ...hookHistory(expectedHooks(hooks, status)),
  ]);
  expect(happened.filter((line) => line !== `start ${owner}`)).toEqual(expected);
}

/** Expects that a hook sees `BUILD_TIMED_OUT` exactly if its step or group failed because time ran out. */
function checkTimedOut(owner: string, hooks: PlanHooks, { events, commands }: RunResult): void {
  const ends = events.filter((event) => event.type === 'step-ended').filter(({ step }) => step === owner);
  const expected = ends.flatMap(({ status, message = '' }) =>
    expectedHooks(hooks, status).map(() => status === 'failed' && OUT_OF_TIME.test(message)),
  );
  const seen = commands.filter(({ step }) => isHookOf(owner, step));
  expect(seen.map(({ timedOut }) => timedOut)).toEqual(expected);
}

/**
 * A put that failed before it began has run out of time, too: a cancel would have made it cancelled, not
 * failed.
 */
const OUT_OF_TIME = /timed out|ran out of time|ran longer|before the put began/;

/** Expects that the steps of a list start in order, and the hooks of a step before the next step. */
function checkOrder(nodes: readonly PlanNode[], { events }: RunResult): void {
  const started = events.flatMap((event) => (event.type === 'step-started' ? [event.step] : []));
  const positions = started.map((step) =>
    nodes.findIndex(({ id }) => step === id || step.startsWith(`${id}.`)),
  );
  const known = positions.filter((position) => position >= 0);
  expect(known).toEqual(known.toSorted((a, b) => a - b));
}

const listsIn = (nodes: readonly PlanNode[]): (readonly PlanNode[])[] => [
  nodes,
  ...nodes.flatMap((node) =>
    node.kind === 'branches' ? node.branches.flatMap(({ steps }) => listsIn(steps)) : [],
  ),
];

/** Expects that the hooks of the job for the outcome of the build run after all steps and their hooks. */
function checkJob(hooks: PlanHooks, { conclusion, events, commands }: RunResult): void {
  const expected = expectedHooks(hooks, conclusion.outcome);
  const started = events.flatMap((event) => (event.type === 'step-started' ? [event.step] : []));
  expect(started.filter((step) => isHookOf('', step))).toEqual(expected);
  expect(expected.length === 0 ? [] : started.slice(-expected.length)).toEqual(expected);
  const seen = commands.filter(({ step }) => isHookOf('', step));
  expect(seen.map(({ timedOut }) => timedOut)).toEqual(expected.map(() => conclusion.timedOut === true));
}

/**
 * Expects that a build succeeds only if the last end of each step and group is a success, notifications
 * excepted.
 */
function checkOutcome(nodes: readonly PlanNode[], { conclusion, events }: RunResult): void {
  const last = new Map<string, StepStatus>();
  for (const event of events) if (event.type === 'step-ended') last.set(event.step, event.status);
  const counted = listsIn(nodes)
    .flat()
    .filter(({ kind }) => kind !== 'notify' && kind !== 'branches');
  const ends = counted.flatMap(({ id }) => last.get(id) ?? []);
  if (conclusion.outcome === 'succeeded') expect(ends.filter((status) => status !== 'succeeded')).toEqual([]);
  if (ends.includes('failed')) expect(conclusion.outcome).not.toBe('succeeded');
}

test('after each end of a step, group or job, each hook of that outcome and of ensure runs once', async () => {
  const property = fc.asyncProperty(arbitraryBuild, async (script) => {
    const build = new ScriptedBuild(script);
    const result = await run(build, script.cancelAt);
    const { steps, hooks = {} } = build.plan;
    for (const [owner, hooksOfOwner] of build.hooks) {
      if (owner === '') continue;
      checkHooks(owner, hooksOfOwner, result);
      checkTimedOut(owner, hooksOfOwner, result);
    }
    for (const nodes of listsIn(steps)) checkOrder(nodes, result);
    checkJob(hooks, result);
    checkOutcome(steps, result);
  });
  await fc.assert(property, { numRuns: propertyRuns(200) });
});

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
  type AttemptEnd,
} from '#testing/agent/scripted-build.ts';
import { propertyRuns } from '#testing/hcl/property-runs.ts';
import { Outbox } from './outbox.ts';
import { runBuild, type BuildConclusion } from './run-build.ts';
import { Spool } from './spool.ts';
import { Stop } from './stop.ts';

interface Ran {
  conclusion: BuildConclusion;
  events: BuildEvent[];
  /** The commands that ran: the step, and whether it saw that time ran out. */
  commands: { step: string; timedOut: boolean }[];
}

const none = (): void => undefined;
const refuse = (): never => {
  throw new Error('no step has secrets or tokens');
};

async function run(build: ScriptedBuild, cancelAt: number | undefined): Promise<Ran> {
  const events: BuildEvent[] = [];
  const commands: Ran['commands'] = [];
  const root = new Stop();
  const stop = root.child();
  const start = ({ env }: ShimCommand): AttemptEnd => {
    const { STEP: step = '', BUILD_TIMED_OUT: timedOut } = env;
    commands.push({ step, timedOut: timedOut === 'true' });
    if (commands.length === cancelAt) stop.request('cancelled');
    return build.next(step);
  };
  const send = async (body: string) => {
    const { events: sent }: EventsRequest = JSON.parse(body);
    events.push(...sent);
    return await Promise.resolve({ acknowledged: sent.at(-1)?.sequence ?? 0 });
  };
  const links = { send, onCancel: none, onOver: none, onRefused: none };
  const outbox = new Outbox(links, new Spool(tmpdir()));
  const shims = new Map(SCRIPTED_CONTAINERS.map((name) => [name, new ScriptedContainer(name, start)]));
  const work = { plan: build.plan, shims, outbox, stop, root, ended: none };
  const conclusion = await runBuild({ ...work, requestSecrets: refuse, fetchIdentity: refuse });
  await outbox.whenAcknowledged(outbox.flush());
  return { conclusion, events, commands };
}

/** The hooks that a status calls for, in their order. Written apart from the agent. */
function expectedHooks(
  { onSuccess, onFailure, onCancel, ensure = [] }: PlanHooks,
  status: StepStatus,
): string[] {
  const own = { succeeded: onSuccess, failed: onFailure, cancelled: onCancel, skipped: [] }[status] ?? [];
  return status === 'skipped' ? [] : [...own, ...ensure].map(({ id }) => id);
}

const isHookOf = (owner: string, step: string): boolean =>
  (owner === '' || step.startsWith(`${owner}.`)) &&
  /^(?:on_success|on_failure|on_cancel|ensure)\.\d$/.test(step.slice(owner === '' ? 0 : owner.length + 1));

/** What happened to one step or group: its starts, its ends, and those of its hooks. */
function history(owner: string, events: readonly BuildEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'step-started' && event.type !== 'step-ended') return [];
    if (event.step !== owner && !isHookOf(owner, event.step)) return [];
    const what = event.type === 'step-started' ? 'start' : event.step === owner ? event.status : 'end';
    return [`${what} ${event.step}`];
  });
}

const hookHistory = (hooks: readonly string[]): string[] =>
  hooks.flatMap((id) => [`start ${id}`, `end ${id}`]);

function checkHooks(owner: string, hooks: PlanHooks, { events }: Ran): void {
  const happened = history(owner, events);
  const ends = events.filter((event) => event.type === 'step-ended').filter(({ step }) => step === owner);
  // The starts of its attempts stand before its end, and all its hooks after it.
  const expected = ends.flatMap(({ status }) => [
    `${status} ${owner}`,
    ...hookHistory(expectedHooks(hooks, status)),
  ]);
  expect(happened.filter((line) => line !== `start ${owner}`)).toEqual(expected);
}

/** Hooks know whether time ran out, and nothing else does. */
function checkTimedOut(owner: string, hooks: PlanHooks, { events, commands }: Ran): void {
  const ends = events.filter((event) => event.type === 'step-ended').filter(({ step }) => step === owner);
  const expected = ends.flatMap(({ status, message = '' }) =>
    expectedHooks(hooks, status).map(() => status === 'failed' && OUT_OF_TIME.test(message)),
  );
  const seen = commands.filter(({ step }) => isHookOf(owner, step));
  expect(seen.map(({ timedOut }) => timedOut)).toEqual(expected);
}

/** A put that fails before it began was stopped: by its time, since a cancel does not fail it. */
const OUT_OF_TIME = /timed out|ran out of time|ran longer|before the put began/;

/** All that belongs to a step of a list, its hooks too, ends before the next one starts. */
function checkOrder(nodes: readonly PlanNode[], { events }: Ran): void {
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

/** The hooks of the job run after everything else, for the outcome of the build. */
function checkJob(hooks: PlanHooks, { conclusion, events, commands }: Ran): void {
  const expected = expectedHooks(hooks, conclusion.outcome);
  const started = events.flatMap((event) => (event.type === 'step-started' ? [event.step] : []));
  expect(started.filter((step) => isHookOf('', step))).toEqual(expected);
  expect(expected.length === 0 ? [] : started.slice(-expected.length)).toEqual(expected);
  const seen = commands.filter(({ step }) => isHookOf('', step));
  expect(seen.map(({ timedOut }) => timedOut)).toEqual(expected.map(() => conclusion.timedOut === true));
}

/** A build succeeds only if nothing that counts ended otherwise at last. */
function checkOutcome(nodes: readonly PlanNode[], { conclusion, events }: Ran): void {
  const last = new Map<string, StepStatus>();
  for (const event of events) if (event.type === 'step-ended') last.set(event.step, event.status);
  const counted = listsIn(nodes)
    .flat()
    .filter(({ kind }) => kind !== 'notify' && kind !== 'branches');
  const ends = counted.flatMap(({ id }) => last.get(id) ?? []);
  if (conclusion.outcome === 'succeeded') expect(ends.filter((status) => status !== 'succeeded')).toEqual([]);
  if (ends.includes('failed')) expect(conclusion.outcome).not.toBe('succeeded');
}

test('each hook runs once after each end of its step, group or job that it is for, and ensure always', async () => {
  const property = fc.asyncProperty(arbitraryBuild, async (script) => {
    const build = new ScriptedBuild(script);
    const ran = await run(build, script.cancelAt);
    const { steps, hooks = {} } = build.plan;
    for (const [owner, own] of build.hooks) {
      if (owner === '') continue;
      checkHooks(owner, own, ran);
      checkTimedOut(owner, own, ran);
    }
    for (const nodes of listsIn(steps)) checkOrder(nodes, ran);
    checkJob(hooks, ran);
    checkOutcome(steps, ran);
  });
  await fc.assert(property, { numRuns: propertyRuns(200) });
});

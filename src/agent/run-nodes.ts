import { defined } from '#defined';
import { evaluateCondition } from '#domain/build/evaluate-condition.ts';
import type { PlanBranch, PlanBranches, PlanGroup, PlanNode, PlanStep } from '#domain/planning/plan.ts';
import { causeOfStop, maskMessage, type BuildContext, type NodeEnd } from './build-context.ts';
import { formatSeconds } from './format-seconds.ts';
import { runOutcomeHooks } from './run-build-hooks.ts';
import { startServices } from './run-services.ts';
import { runStep } from './run-step.ts';
import { skipStep } from './skip-step.ts';
import { StepLog } from './step-log.ts';
import type { Stop, StopReason } from './stop.ts';

/** What the steps of a list, group, or branch run with. */
export interface NodeInput {
  exports: Record<string, string>;
  stop: Stop;
  /** The attempt of the group that contains the steps. Absent: the first. */
  attempt?: number;
}

/** Runs steps in order, until one of them ends the build. */
export async function runNodes(
  nodes: readonly PlanNode[],
  input: NodeInput,
  context: BuildContext,
): Promise<NodeEnd> {
  let exports: Record<string, string> = {};
  for (const [index, node] of nodes.entries()) {
    const { reason } = input.stop;
    if (reason !== undefined) {
      skipNodes(nodes.slice(index), context);
      return endOfStopped(reason, exports, context);
    }
    const end = await runNode(node, { ...input, exports: { ...input.exports, ...exports } }, context);
    exports = { ...exports, ...end.exports };
    if (end.cause === undefined) continue;
    skipNodes(nodes.slice(index + 1), context);
    return { ...end, exports };
  }
  return { status: 'succeeded', exports };
}

/** How a list or group ends if it was stopped from outside. */
function endOfStopped(reason: StopReason, exports: Record<string, string>, { plan }: BuildContext): NodeEnd {
  const cause = causeOfStop(reason, plan.timeoutSeconds);
  return { status: cause.outcome === 'cancelled' ? 'cancelled' : 'failed', exports, cause };
}

async function runNode(node: PlanNode, input: NodeInput, context: BuildContext): Promise<NodeEnd> {
  switch (node.kind) {
    case 'parallel':
      return await runGroup(node, input, context);
    case 'branches':
      return await runBranches(node, input, context);
    case 'get':
    case 'task':
    case 'put':
    case 'notify':
    case 'command':
      return await runStepWithHooks(node, input, context);
    default:
      throw new Error('a step of unknown kind');
  }
}

/**
 * Runs a step, then its hooks. A notification that fails does not end the build. `onEnd` is called before the
 * hooks run.
 */
async function runStepWithHooks(
  step: PlanStep,
  input: NodeInput,
  context: BuildContext,
  onEnd?: (end: NodeEnd) => void,
): Promise<NodeEnd> {
  const ended = await runStep(step, input, context);
  const endsBuild = step.kind !== 'notify' || input.stop.reason !== undefined;
  const end = endsBuild ? ended : { status: ended.status, exports: ended.exports };
  onEnd?.(end);
  await runOutcomeHooks(step.hooks, hooksInput(ended, input, context), context);
  return end;
}

function hooksInput(end: NodeEnd, { exports }: NodeInput, { hooksStop }: BuildContext) {
  return { end, exports: { ...exports, ...end.exports }, stop: hooksStop };
}

async function runGroup(group: PlanGroup, input: NodeInput, context: BuildContext): Promise<NodeEnd> {
  const log = new StepLog(context.masker, context.budget, (text) => {
    context.outbox.add({ type: 'log', step: group.id, text });
  });
  const { attempts = 1 } = group;
  let end = await attemptGroup(group, { ...input, attempt: undefined }, context);
  for (let number = 2; number <= attempts && mayRepeat(end, input.stop); number += 1) {
    log.note(`--- attempt ${number}/${attempts} ---`);
    end = await attemptGroup(group, { ...input, attempt: number }, context);
  }
  if (end.status !== 'succeeded' && end.cause !== undefined) log.note(`[${end.cause.message}]`);
  log.end();
  reportNodeEnd(group.id, end, context);
  await runOutcomeHooks(group.hooks, hooksInput(end, input, context), context);
  return end;
}

const mayRepeat = ({ status, cause }: NodeEnd, { reason }: Stop): boolean =>
  status === 'failed' && cause?.known === true && reason === undefined;

/**
 * Reports the end of a group or branch. It has no process: the exit code is 0 after success, otherwise null.
 */
function reportNodeEnd(
  id: string,
  { status, cause }: NodeEnd,
  { outbox, onStepEnded, masker }: BuildContext,
): void {
  const exitCode = status === 'succeeded' ? 0 : null;
  const message = cause && maskMessage(masker, cause.message);
  const sequence = outbox.add({ type: 'step-ended', step: id, status, ...defined({ message }) });
  onStepEnded({ step: id, sequence, exitCode, status });
}

interface GroupAttempt extends Omit<NodeInput, 'attempt'> {
  attempt: number | undefined;
}

async function attemptGroup(
  group: PlanGroup,
  { exports, stop: outer, attempt }: GroupAttempt,
  context: BuildContext,
): Promise<NodeEnd> {
  const { id, steps, limit = steps.length, timeoutSeconds, failFast } = group;
  context.outbox.add({ type: 'step-started', step: id, ...defined({ attempt }) });
  const { stop, release } = outer.limited(timeoutSeconds, 'group-timeout');
  const ends = new Map<PlanStep, NodeEnd>();
  const failures: NodeEnd[] = [];
  const waiting = steps.values();
  const onEnd = (end: NodeEnd): void => {
    if (end.status === 'succeeded' || end.cause === undefined) return;
    failures.push(end);
    if (end.status === 'failed' && failFast && stop.reason === undefined) stop.request('fail-fast');
  };
  const runWaiting = async (): Promise<void> => {
    for (const step of waiting) {
      const end =
        stop.reason === undefined
          ? await runStepWithHooks(step, { exports, stop, ...defined({ attempt }) }, context, onEnd)
          : skipStep(step.id, context);
      ends.set(step, end);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, steps.length) }, runWaiting));
  release();
  const exported = Object.fromEntries(steps.flatMap((step) => Object.entries(ends.get(step)?.exports ?? {})));
  return judgeGroup({ group, failures, stop, exports: exported }, context);
}

interface GroupToJudge {
  group: PlanGroup;
  /** In the order of their ends. */
  failures: readonly NodeEnd[];
  stop: Stop;
  exports: Record<string, string>;
}

/**
 * Decides how a group ended, by the first of these that applies: its own timeout, a stop from outside, its
 * first failed step, its first cancelled step. Otherwise it succeeded.
 */
function judgeGroup({ group, failures, stop, exports }: GroupToJudge, context: BuildContext): NodeEnd {
  const { reason } = stop;
  if (reason === 'group-timeout') {
    const message = `in_parallel timed out after ${formatSeconds(group.timeoutSeconds ?? 0)}.`;
    const cause = { outcome: 'failed', reason: 'StepTimeout', message, known: true, timedOut: true } as const;
    return { status: 'failed', exports: {}, cause };
  }
  if (reason !== undefined && reason !== 'fail-fast') return endOfStopped(reason, {}, context);
  const first = failures.find(({ status }) => status === 'failed') ?? failures[0];
  return first?.cause
    ? { status: 'failed', exports: {}, cause: first.cause }
    : { status: 'succeeded', exports };
}

async function runBranches(
  { branches }: PlanBranches,
  input: NodeInput,
  context: BuildContext,
): Promise<NodeEnd> {
  const { variables, listVariables = [] } = context.plan;
  const knownVariables = { ...input.exports, ...variables };
  const position = branches.findIndex(
    ({ condition }) => condition === undefined || evaluateCondition(condition, knownVariables, listVariables),
  );
  const taken = branches[position];
  if (taken === undefined) {
    for (const branch of branches) skipBranch(branch, context);
    return { status: 'succeeded', exports: {} };
  }
  for (const branch of branches.slice(0, position)) skipBranch(branch, context);
  const end = await runBranch(taken, input, context);
  for (const branch of branches.slice(position + 1)) skipBranch(branch, context);
  return end;
}

async function runBranch(
  { id, services, steps }: PlanBranch,
  input: NodeInput,
  context: BuildContext,
): Promise<NodeEnd> {
  const { attempt } = input;
  context.outbox.add({ type: 'step-started', step: id, ...defined({ attempt }) });
  const cause = await startServices(services, input.stop, context);
  if (cause !== undefined) skipNodes(steps, context);
  const end: NodeEnd =
    cause === undefined
      ? await runNodes(steps, input, context)
      : { status: cause.outcome, exports: {}, cause };
  reportNodeEnd(id, end, context);
  return end;
}

/**
 * Reports a branch as skipped. The termination message names it too, so that the operator expects no steps of
 * it.
 */
function skipBranch({ id }: PlanBranch, { outbox, onStepEnded }: BuildContext): void {
  const sequence = outbox.add({ type: 'step-ended', step: id, status: 'skipped' });
  onStepEnded({ step: id, sequence, exitCode: null, status: 'skipped' });
}

/**
 * Reports steps that do not run as skipped: their list ended or was stopped before them, or the services of
 * their job or branch did not start. Of branches, reports the branches and not their steps.
 */
export function skipNodes(nodes: readonly PlanNode[], context: BuildContext): void {
  for (const id of nodes.flatMap(idsIn)) skipStep(id, context);
}

function idsIn(node: PlanNode): string[] {
  if (node.kind === 'branches') return node.branches.map(({ id }) => id);
  if (node.kind === 'parallel') return [node.id, ...node.steps.map(({ id }) => id)];
  return [node.id];
}

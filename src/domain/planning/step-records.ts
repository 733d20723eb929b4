import { defined } from '#defined';
import type { ActionKind, Plan, PlanHooks, PlanNode, PlanService, PlanStep } from './plan.ts';

type HookName = 'on_success' | 'on_failure' | 'on_cancel' | 'ensure';

/** A line of a build's record: a step, or the group, branch or hook that it belongs to. */
export interface StepRecord {
  id: string;
  kind: ActionKind | 'parallel' | 'branch' | 'service';
  /** The name that people see. */
  name: string;
  /** `get` and `put`: canonical name of the resource. */
  resource?: string;
  /** Id of the group, branch or step that it is part of. */
  parent?: string;
  /** It is a hook of its parent; without a parent, of the job. */
  hook?: HookName;
}

/**
 * Whether its end can change the outcome of the build: not that of hooks, notifications and stops of
 * services.
 */
export function decidesOutcome({ id, kind, hook }: StepRecord): boolean {
  if (hook !== undefined || kind === 'notify') return false;
  return kind !== 'service' || !id.endsWith('.stop');
}

/** Everything that a build of the plan can run, in the order in which it would. */
export function recordsOf({ services, steps, hooks, notifications }: Plan): StepRecord[] {
  return [
    ...services.flatMap((service) => startOf(service)),
    ...steps.flatMap((node) => recordsOfNode(node)),
    ...recordsOfHooks(hooks),
    ...[...services, ...branchServices(steps)].toReversed().flatMap(stopOf),
    ...notifications.map(({ step }) => recordOf(step)),
  ];
}

function recordsOfNode(node: PlanNode, parent?: string): StepRecord[] {
  const inside = parent === undefined ? {} : { parent };
  switch (node.kind) {
    case 'parallel':
      return [
        { id: node.id, kind: 'parallel', name: 'in_parallel', ...inside },
        ...node.steps.flatMap((step) => recordsOfNode(step, node.id)),
        ...recordsOfHooks(node.hooks, node.id),
      ];
    case 'branches':
      return node.branches.flatMap(({ id, name, services, steps }) => [
        { id, kind: 'branch' as const, name, ...inside },
        ...services.flatMap((service) => startOf(service, id)),
        ...steps.flatMap((step) => recordsOfNode(step, id)),
      ]);
    case 'get':
    case 'task':
    case 'put':
    case 'notify':
    case 'command':
      return [{ ...recordOf(node), ...inside }, ...recordsOfHooks(node.hooks, node.id)];
    default:
      throw new Error('a step of unknown kind');
  }
}

function recordOf({ id, kind, name, resource }: PlanStep): StepRecord {
  return {
    id,
    kind,
    name,
    ...defined({ resource }),
  };
}

function recordsOfHooks(hooks: PlanHooks = {}, parent?: string): StepRecord[] {
  const named: [HookName, PlanStep[]][] = [
    ['on_success', hooks.onSuccess ?? []],
    ['on_failure', hooks.onFailure ?? []],
    ['on_cancel', hooks.onCancel ?? []],
    ['ensure', hooks.ensure ?? []],
  ];
  return named.flatMap(([hook, steps]) =>
    steps.map((step): StepRecord => ({
      ...recordOf(step),
      ...defined({ parent }),
      hook,
    })),
  );
}

function startOf({ id, name, start, ready }: PlanService, parent?: string): StepRecord[] {
  const of = { kind: 'service' as const, ...defined({ parent }) };
  return [
    ...(start ? [{ id: `${id}.start`, name: `${name}:start`, ...of }] : []),
    ...(ready ? [{ id: `${id}.ready`, name: `${name}:ready`, ...of }] : []),
  ];
}

function stopOf({ id, name, start, stop }: PlanService): StepRecord[] {
  if (!stop && !start) return [];
  return [{ id: `${id}.stop`, kind: 'service', name: `${name}:stop` }];
}

function branchServices(nodes: readonly PlanNode[]): PlanService[] {
  return nodes.flatMap((node) =>
    node.kind === 'branches'
      ? node.branches.flatMap(({ services, steps }) => [...services, ...branchServices(steps)])
      : [],
  );
}

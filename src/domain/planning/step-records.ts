import { defined } from '#defined';
import type { ActionKind, Plan, PlanHooks, PlanNode, PlanService, PlanStep } from './plan.ts';

type HookName = 'on_success' | 'on_failure' | 'on_cancel' | 'ensure';

/** One entry in the record of a build: a step, group, branch, hook or phase of a service. */
export interface StepRecord {
  id: string;
  kind: ActionKind | 'parallel' | 'branch' | 'service';
  /** The name that people see. */
  name: string;
  /** `get` and `put`: canonical name of the resource. */
  resource?: string;
  /** Id of the group, branch or step that the entry is part of. */
  parent?: string;
  /** The entry is in this hook of its parent, or of the job if it has no parent. */
  hook?: HookName;
}

/**
 * Whether the end of this step can change the outcome of the build. Hooks, notifications and stops of
 * services cannot.
 */
export function decidesOutcome({ id, kind, hook }: StepRecord): boolean {
  if (hook !== undefined || kind === 'notify') return false;
  return kind !== 'service' || !id.endsWith('.stop');
}

/**
 * Everything that a build of the plan can run: starts of services, steps with their hooks, hooks of the job,
 * stops of services, notifications.
 */
export function recordsOf({ services, steps, hooks, notifications }: Plan): StepRecord[] {
  return [
    ...services.flatMap((service) => startRecords(service)),
    ...steps.flatMap((node) => recordsOfNode(node)),
    ...recordsOfHooks(hooks),
    ...[...services, ...branchServices(steps)].toReversed().flatMap(stopRecords),
    ...notifications.map(({ step }) => recordOf(step)),
  ];
}

function recordsOfNode(node: PlanNode, parent?: string): StepRecord[] {
  const parentField = parent === undefined ? {} : { parent };
  switch (node.kind) {
    case 'parallel':
      return [
        { id: node.id, kind: 'parallel', name: 'in_parallel', ...parentField },
        ...node.steps.flatMap((step) => recordsOfNode(step, node.id)),
        ...recordsOfHooks(node.hooks, node.id),
      ];
    case 'branches':
      return node.branches.flatMap(({ id, name, services, steps }) => [
        { id, kind: 'branch' as const, name, ...parentField },
        ...services.flatMap((service) => startRecords(service, id)),
        ...steps.flatMap((step) => recordsOfNode(step, id)),
      ]);
    case 'get':
    case 'task':
    case 'put':
    case 'notify':
    case 'command':
      return [{ ...recordOf(node), ...parentField }, ...recordsOfHooks(node.hooks, node.id)];
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
  const hookSteps: [HookName, PlanStep[]][] = [
    ['on_success', hooks.onSuccess ?? []],
    ['on_failure', hooks.onFailure ?? []],
    ['on_cancel', hooks.onCancel ?? []],
    ['ensure', hooks.ensure ?? []],
  ];
  return hookSteps.flatMap(([hook, steps]) =>
    steps.map((step): StepRecord => ({
      ...recordOf(step),
      ...defined({ parent }),
      hook,
    })),
  );
}

function startRecords({ id, name, start, ready }: PlanService, parent?: string): StepRecord[] {
  const common = { kind: 'service' as const, ...defined({ parent }) };
  return [
    ...(start ? [{ id: `${id}.start`, name: `${name}:start`, ...common }] : []),
    ...(ready ? [{ id: `${id}.ready`, name: `${name}:ready`, ...common }] : []),
  ];
}

function stopRecords({ id, name, start, stop }: PlanService): StepRecord[] {
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

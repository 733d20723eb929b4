import { defined } from '#defined';
import { findSecretNames } from '#domain/pipeline/secret-placeholder.ts';
import type {
  CheckPlan,
  CheckRun,
  HookPlan,
  Plan,
  PlanHooks,
  PlanNode,
  PlanService,
  PlanStep,
} from './plan.ts';

/** A part of the work that gets its secrets when it starts. Hooks of a step are operations of their own. */
export type Operation = PlanStep | PlanService | CheckPlan | HookPlan;
type Work = Plan | CheckRun;

/** What an agent names it by, unique within its work. */
export function idOf(operation: Operation): string {
  return 'id' in operation ? operation.id : operation.scope;
}

/** The operation without its hooks. Undefined: the work has none of this id. */
export function findOperation(work: Work, id: string): Operation | undefined {
  return operationsOf(work).find((operation) => idOf(operation) === id);
}

/** Names of the secrets in an operation, not in its hooks. `bare`: see `markOperations`. */
export function secretNamesOf(bare: Operation): string[] {
  return findSecretNames(JSON.stringify({ ...bare, hooks: undefined }));
}

/**
 * The work in which operations that name secrets say so. `bare` is the same work without text from outside:
 * what looks like a placeholder in such a text names no secret.
 */
export function markOperations<W extends Work>(work: W, bare: W): W {
  const marked = new Set(
    operationsOf(bare)
      .filter((operation) => secretNamesOf(operation).length > 0)
      .map(idOf),
  );
  const mark = <O extends Operation>(operation: O): O =>
    marked.has(idOf(operation)) ? { ...operation, needsSecrets: true } : operation;
  return mapWork(work, { step: mark, service: mark, check: mark, hook: mark });
}

function operationsOf(work: Work): Operation[] {
  const found: Operation[] = [];
  const note = <O extends Operation>(operation: O): O => {
    found.push(operation);
    return operation;
  };
  mapWork(work, { step: note, service: note, check: note, hook: note });
  return found;
}

interface Mapping {
  /** Of steps, and of hooks and notifications as steps. Their hooks are mapped besides. */
  step: (step: PlanStep) => PlanStep;
  service: (service: PlanService) => PlanService;
  check: (check: CheckPlan) => CheckPlan;
  hook: (hook: HookPlan) => HookPlan;
}

/** The work with each of its operations replaced. */
export function mapWork<W extends Work>(work: W, mapping: Mapping): W {
  return 'steps' in work ? { ...work, ...mapPlan(work, mapping) } : { ...work, ...mapRun(work, mapping) };
}

function mapRun({ checks, hooks }: CheckRun, { check, hook }: Mapping): Partial<CheckRun> {
  return {
    checks: checks.map(check),
    ...(hooks && { hooks: { ...hooks, plans: hooks.plans.map(hook) } }),
  };
}

function mapPlan(plan: Plan, mapping: Mapping): Partial<Plan> {
  return {
    services: plan.services.map(mapping.service),
    steps: mapNodes(plan.steps, mapping),
    ...mapHooks(plan, mapping),
    notifications: plan.notifications.map(({ on, step }) => ({ on, step: mapStep(step, mapping) })),
  };
}

function mapNodes(nodes: readonly PlanNode[], mapping: Mapping): PlanNode[] {
  return nodes.map((node) => {
    if (node.kind === 'parallel') {
      const steps = node.steps.map((step) => mapStep(step, mapping));
      return { ...node, steps, ...mapHooks(node, mapping) };
    }
    if (node.kind !== 'branches') return mapStep(node, mapping);
    const branches = node.branches.map((branch) => ({
      ...branch,
      services: branch.services.map(mapping.service),
      steps: mapNodes(branch.steps, mapping),
    }));
    return { ...node, branches };
  });
}

function mapStep(step: PlanStep, mapping: Mapping): PlanStep {
  return { ...mapping.step(step), ...mapHooks(step, mapping) };
}

function mapHooks({ hooks }: { hooks?: PlanHooks }, { step }: Mapping): { hooks?: PlanHooks } {
  if (hooks === undefined) return {};
  const { onSuccess, onFailure, onCancel, ensure } = hooks;
  return {
    hooks: defined({
      onSuccess: onSuccess?.map(step),
      onFailure: onFailure?.map(step),
      onCancel: onCancel?.map(step),
      ensure: ensure?.map(step),
    }),
  };
}

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

/**
 * A part of the work that receives its secrets when it starts. Hooks of a step are separate operations with
 * their own secrets.
 */
export type Operation = PlanStep | PlanService | CheckPlan | HookPlan;
type Work = Plan | CheckRun;

/** The id by which an agent requests the secrets of the operation. It is unique within the work. */
export function operationId(operation: Operation): string {
  return 'id' in operation ? operation.id : operation.scope;
}

/** The operation with this id, or undefined. */
export function findOperation(work: Work, id: string): Operation | undefined {
  return operationsOf(work).find((operation) => operationId(operation) === id);
}

/** Names of the secrets in an operation without its hooks. `bare`: see `markOperations`. */
export function secretNamesOf(bare: Operation): string[] {
  return findSecretNames(JSON.stringify({ ...bare, hooks: undefined }));
}

/**
 * Sets `needsSecrets` in the operations with placeholders of secrets. Only placeholders in `bare` count.
 * `bare` is the same work without text from outside, because such text must not be able to request a secret.
 */
export function markOperations<W extends Work>(work: W, bare: W): W {
  const marked = new Set(
    operationsOf(bare)
      .filter((operation) => secretNamesOf(operation).length > 0)
      .map(operationId),
  );
  const mark = <O extends Operation>(operation: O): O =>
    marked.has(operationId(operation)) ? { ...operation, needsSecrets: true } : operation;
  return mapWork(work, { step: mark, service: mark, check: mark, hook: mark });
}

function operationsOf(work: Work): Operation[] {
  const found: Operation[] = [];
  const collect = <O extends Operation>(operation: O): O => {
    found.push(operation);
    return operation;
  };
  mapWork(work, { step: collect, service: collect, check: collect, hook: collect });
  return found;
}

interface Mapping {
  /**
   * Replaces steps, including those that are hooks or notifications. The hooks of a step are mapped
   * separately.
   */
  step: (step: PlanStep) => PlanStep;
  service: (service: PlanService) => PlanService;
  check: (check: CheckPlan) => CheckPlan;
  hook: (hook: HookPlan) => HookPlan;
}

/** Replaces each operation of the work. */
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

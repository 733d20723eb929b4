import { defined } from '#defined';
import { parseCondition, type Condition } from '#domain/language/condition.ts';
import {
  actionsOf,
  type ActionStep,
  type Branch,
  type ParallelStep,
  type Step,
} from '#domain/pipeline/steps.ts';
import {
  planAction,
  plannedAttempts,
  withProtocolCall,
  type ActionContext,
  type StepPlace,
} from './plan-action.ts';
import { planHooksOf } from './plan-build-hooks.ts';
import { planServices } from './plan-services.ts';
import type { PlanBranch, PlanGroup, PlanNode, PlanStep } from './plan.ts';

/** Where steps are in the plan. */
interface Place {
  /** Prefix of the ids of the steps: empty, or with a dot at its end. */
  prefix: string;
  /** Steps that have ended before these steps begin. */
  before: readonly ActionStep[];
}

export function planSteps(
  steps: readonly Step[],
  { prefix, before }: Place,
  context: ActionContext,
): PlanNode[] {
  const withoutServices = steps.filter((step) => step.kind !== 'service');
  return withoutServices.map((step, index) => {
    const id = `${prefix}${index}`;
    const earlier = [...before, ...actionsOf(withoutServices.slice(0, index))];
    switch (step.kind) {
      case 'parallel':
        return planGroup(step, { id, before: earlier }, context);
      case 'branch':
        return {
          id,
          kind: 'branches',
          branches: planBranches(step.branches, { id, before: earlier }, context),
        };
      case 'get':
      case 'task':
      case 'put':
      case 'notify':
        return planStep(step, { id, before: earlier }, context);
      default:
        throw new Error('a step of unknown kind');
    }
  });
}

/** The steps of a group do not see the variables that other steps of the group export. */
function planGroup(step: ParallelStep, { id, before }: StepPlace, context: ActionContext): PlanGroup {
  return {
    id,
    kind: 'parallel',
    failFast: step.failFast,
    ...defined({ limit: step.limit }),
    steps: step.steps.map((inner, index) => planStep(inner, { id: `${id}.${index}`, before }, context)),
    ...plannedAttempts(step),
    ...defined({ hooks: planHooksOf(step.hooks, { id, env: {}, before }, context) }),
  };
}

function planBranches(
  branches: readonly Branch[],
  { id, before }: StepPlace,
  context: ActionContext,
): PlanBranch[] {
  return branches.map((branch, index) => {
    const branchId = `${id}.${index}`;
    const { condition, name = condition ?? 'else', steps } = branch;
    return {
      id: branchId,
      name,
      ...(condition === undefined ? {} : { condition: conditionOf(condition) }),
      services: planServices(steps, context),
      steps: planSteps(steps, { prefix: `${branchId}.`, before }, context),
    };
  });
}

function conditionOf(text: string): Condition {
  const condition = parseCondition(text);
  if ('reason' in condition) throw new Error(`the condition ${text} was saved although ${condition.reason}`);
  return condition;
}

function planStep(step: ActionStep, { id, before }: StepPlace, context: ActionContext): PlanStep {
  const planned = planAction(step, { id, before }, context);
  const hooks = planHooksOf(step.hooks, { id, env: planned.env, before: [...before, step] }, context);
  return { ...withProtocolCall(planned, step, context), ...plannedAttempts(step), ...defined({ hooks }) };
}

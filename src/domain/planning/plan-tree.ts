import type { PlanNode, PlanStep } from './plan.ts';

/** All steps of a tree, including those in groups and branches, but not those in hooks. */
export function stepsIn(nodes: readonly PlanNode[]): PlanStep[] {
  return nodes.flatMap((node) => {
    if (node.kind === 'parallel') return node.steps;
    if (node.kind === 'branches') return node.branches.flatMap(({ steps }) => stepsIn(steps));
    return [node];
  });
}

/** A copy of the tree in which each step is replaced. */
export function replaceSteps(nodes: readonly PlanNode[], replace: (step: PlanStep) => PlanStep): PlanNode[] {
  return nodes.map((node) => {
    if (node.kind === 'parallel') return { ...node, steps: node.steps.map(replace) };
    if (node.kind !== 'branches') return replace(node);
    const branches = node.branches.map((branch) => ({
      ...branch,
      steps: replaceSteps(branch.steps, replace),
    }));
    return { ...node, branches };
  });
}

import type { Graph, GraphNode } from './graph.ts';

/**
 * The nodes in groups: edges connect the nodes of a group, directly or through others of the group. Groups,
 * and nodes in a group, have the order of `nodes`.
 */
export function connectedComponents({ nodes, edges }: Graph): GraphNode[][] {
  const neighbours = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const componentOf = new Map<string, number>();
  for (const [component, { id }] of nodes.entries()) {
    const pending = [id];
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      if (componentOf.has(next)) continue;
      componentOf.set(next, component);
      pending.push(...(neighbours.get(next) ?? []));
    }
  }
  return [...Map.groupBy(nodes, ({ id }) => componentOf.get(id)).values()];
}

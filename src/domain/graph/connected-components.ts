import type { Graph, GraphNode } from './graph.ts';

/**
 * The parts of a graph that no edge connects, each with its nodes in the order of the file, and the part that
 * begins first at the front.
 */
export function partsOf({ nodes, edges }: Graph): GraphNode[][] {
  const neighbours = new Map<string, string[]>(nodes.map(({ id }) => [id, []]));
  for (const { from, to } of edges) {
    neighbours.get(from)?.push(to);
    neighbours.get(to)?.push(from);
  }
  const partOf = new Map<string, number>();
  for (const [part, { id }] of nodes.entries()) {
    const open = [id];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (partOf.has(next)) continue;
      partOf.set(next, part);
      open.push(...(neighbours.get(next) ?? []));
    }
  }
  return [...Map.groupBy(nodes, ({ id }) => partOf.get(id)).values()];
}

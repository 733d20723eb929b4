import { mergeGraph, type Graph, type GraphEdge } from './graph.ts';

/**
 * Connects jobs directly: removes the nodes of resources between jobs, and all resources that trigger no job.
 */
export function hideIntermediates({ nodes, edges }: Graph): Graph {
  const roles = new Map(nodes.map((node) => [node.id, node.kind === 'job' ? 'job' : node.role]));
  const makers = Map.groupBy(
    edges.filter(({ kind }) => kind === 'make'),
    ({ to }) => to,
  );
  const direct = edges.flatMap((edge): GraphEdge[] => {
    if (edge.kind === 'make') return [];
    if (roles.get(edge.from) === 'entry') return edge.kind === 'trigger' ? [edge] : [];
    return (makers.get(edge.from) ?? []).map(({ from }) => ({ ...edge, from }));
  });
  const used = new Set(direct.map(({ from }) => from));
  return mergeGraph(
    nodes.filter(({ id }) => roles.get(id) === 'job' || used.has(id)),
    direct,
  );
}

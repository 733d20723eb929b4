import { entryId, type Graph, type GraphNode } from './graph.ts';

/**
 * Ids of the nodes that a version of the resource can reach: jobs that get it, jobs after them by `passed`,
 * and resources that those jobs put.
 */
export function traceVersion({ nodes, edges }: Graph, resource: string): Set<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set<string>();
  const seen = new Set<string>();
  const open = [{ id: entryId(resource), carried: resource }];
  for (let next = open.pop(); next; next = open.pop()) {
    const node = byId.get(next.id);
    const visit = JSON.stringify([next.id, next.carried]);
    if (!node || seen.has(visit)) continue;
    seen.add(visit);
    reached.add(next.id);
    for (const { to } of outgoing.get(next.id) ?? []) {
      const target = byId.get(to);
      if (target && carries(node, target, next.carried))
        open.push({ id: to, carried: carriedBy(target, next.carried) });
    }
    if (node.kind === 'resource' && node.role === 'put') {
      open.push({ id: entryId(node.resource), carried: node.resource });
    }
  }
  return reached;
}

/** A job passes on the version that it took, and what it puts. */
function carries(from: GraphNode, to: GraphNode, carried: string): boolean {
  if (from.kind === 'resource' || to.kind === 'job') return true;
  return to.resource === carried || to.role === 'put';
}

const carriedBy = (node: GraphNode, carried: string): string =>
  node.kind === 'resource' ? node.resource : carried;

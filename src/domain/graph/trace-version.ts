import { entryId, type Graph, type GraphNode } from './graph.ts';

/** A node, and the resource whose version has reached it. */
interface Visit {
  id: string;
  carried: string;
}

/**
 * Ids of the nodes that a version of the resource can reach: jobs that get it, jobs after them by `passed`,
 * and resources that those jobs put.
 */
export function traceVersion({ nodes, edges }: Graph, resource: string): Set<string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const outgoing = Map.groupBy(edges, ({ from }) => from);
  const reached = new Set<string>();
  const visited = new Set<string>();
  const pending: Visit[] = [{ id: entryId(resource), carried: resource }];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const node = byId.get(next.id);
    const visit = JSON.stringify([next.id, next.carried]);
    if (!node || visited.has(visit)) continue;
    visited.add(visit);
    reached.add(next.id);
    for (const { to } of outgoing.get(next.id) ?? []) {
      const target = byId.get(to);
      if (target && carries(node, target, next.carried))
        pending.push({ id: to, carried: carriedBy(target, next.carried) });
    }
    if (node.kind === 'resource' && node.role === 'put') {
      pending.push({ id: entryId(node.resource), carried: node.resource });
    }
  }
  return reached;
}

/**
 * Whether a version of the resource `carried` goes on from one node to the other. A job passes on the version
 * that it took, and versions that it puts.
 */
function carries(from: GraphNode, to: GraphNode, carried: string): boolean {
  if (from.kind === 'resource' || to.kind === 'job') return true;
  return to.resource === carried || to.role === 'put';
}

/** The resource whose version goes on from this node: a job passes on what reached it. */
const carriedBy = (node: GraphNode, carried: string): string =>
  node.kind === 'resource' ? node.resource : carried;

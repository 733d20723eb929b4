import { entryId, type Graph, type GraphNode } from './graph.ts';

/** A node that a version has reached. `carried`: the resource of that version. */
interface Visit {
  id: string;
  carried: string;
}

/**
 * The ids of the nodes that a new version of the resource can reach: the jobs that get it, the jobs
 * downstream of these through `passed`, the resources that these jobs put, and so on.
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
 * Whether a version of the resource `carried` goes on from the node `from` to the node `to`. A job passes on
 * the version that it got, and creates versions of the resources that it puts.
 */
function carries(from: GraphNode, to: GraphNode, carried: string): boolean {
  if (from.kind === 'resource' || to.kind === 'job') return true;
  return to.resource === carried || to.role === 'put';
}

/** The resource whose version goes on from this node. A job passes on the version that reached it. */
const carriedBy = (node: GraphNode, carried: string): string =>
  node.kind === 'resource' ? node.resource : carried;

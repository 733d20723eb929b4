import type { Graph, GraphNode, JobNode } from './graph.ts';
import { jobId, mergeGraph, outputId } from './graph.ts';

/** Jobs with the same parents become one node, and what they let through or put with them. A job without parents stays alone. */
export function groupParallel({ nodes, edges }: Graph): Graph {
  const parents = Map.groupBy(edges, ({ to }) => to);
  const siblings = Map.groupBy(
    nodes.filter((node) => node.kind === 'job'),
    ({ id }) =>
      JSON.stringify(
        parents
          .get(id)
          ?.map(({ from }) => from)
          .toSorted() ?? id,
      ),
  );
  const groups = [...siblings.values()].filter((members) => members.length > 1).map(compact);
  const groupOf = new Map(groups.flatMap((group) => group.jobs.map((job) => [job, group])));
  const shown = new Map(nodes.map((node) => [node.id, inGroup(node, groupOf)]));
  const shownId = (id: string): string => shown.get(id)?.id ?? id;
  return mergeGraph(
    [...shown.values()],
    edges.map((edge) => ({ ...edge, from: shownId(edge.from), to: shownId(edge.to) })),
  );
}

function compact(members: readonly JobNode[]): JobNode {
  const jobs = members.flatMap((member) => member.jobs);
  return { kind: 'job', id: jobId(nameOf(jobs)), jobs };
}

/** A job is in one group only, so that its name is enough to tell groups apart. */
const nameOf = ([first = '', ...others]: readonly string[]): string => `${first} and ${others.length} more`;

function inGroup(node: GraphNode, groupOf: ReadonlyMap<string, JobNode>): GraphNode {
  if (node.kind === 'job') return groupOf.get(node.jobs[0] ?? '') ?? node;
  const group = groupOf.get(node.after[0] ?? '');
  return group ? { ...node, id: outputId(nameOf(group.jobs), node.resource), after: group.jobs } : node;
}

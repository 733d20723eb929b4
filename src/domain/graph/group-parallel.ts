import {
  jobId,
  mergeGraph,
  outputId,
  type Graph,
  type GraphNode,
  type JobNode,
  type ResourceNode,
} from './graph.ts';
import { joinEnds, membersOf, type End, type Ends } from './join-ends.ts';

/**
 * Jobs with the same parents become one node. What they let through or put becomes one node where it leads
 * to the same jobs. A job without parents stays alone.
 */
export function groupParallel(graph: Graph): Graph {
  const groups = findGroups(graph);
  const members = membersOf(groups);
  const merged = new Map(mergeOutputs(graph, groups));
  const shown = (node: GraphNode): GraphNode => members.get(node.id)?.group ?? merged.get(node.id) ?? node;
  const shownId = new Map(graph.nodes.map((node) => [node.id, shown(node).id]));
  const end = (id: string): End => ({ node: shownId.get(id) ?? id, ...(members.has(id) && { job: id }) });
  const ends = graph.edges.map(({ from, to, kind }): Ends => ({ tail: end(from), head: end(to), kind }));
  return mergeGraph(graph.nodes.map(shown), joinEnds(ends, members));
}

function findGroups({ nodes, edges }: Graph): JobNode[] {
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
  return [...siblings.values()].filter((some) => some.length > 1).map(compact);
}

function compact(members: readonly JobNode[]): JobNode {
  const jobs = members.flatMap((member) => member.jobs);
  return { kind: 'job', id: jobId(nameOf(jobs)), jobs };
}

/**
 * A job is in one group only, and in one node for each resource, so that its name is enough to tell them
 * apart.
 */
const nameOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

/**
 * Versions of one resource that come from jobs of one group and go to the same jobs, by the ids that they
 * had.
 */
function mergeOutputs({ nodes, edges }: Graph, groups: readonly JobNode[]): [string, ResourceNode][] {
  const takers = Map.groupBy(edges, ({ from }) => from);
  const takersOf = (id: string): string[] =>
    takers.get(id)?.map(({ to, kind }) => JSON.stringify([to, kind])) ?? [];
  const outputs = Map.groupBy(
    nodes.filter((node) => node.kind === 'resource'),
    ({ after }) => after[0],
  );
  return groups.flatMap(({ jobs }) => {
    const all = jobs.flatMap((job) => outputs.get(job) ?? []);
    const alike = Map.groupBy(all, ({ id, resource }) => JSON.stringify([resource, takersOf(id).toSorted()]));
    return [...alike.values()].flatMap((some) => {
      const after = some.flatMap((node) => node.after);
      return some.map((node): [string, ResourceNode] => [
        node.id,
        { ...node, id: outputId(nameOf(after), node.resource), after },
      ]);
    });
  });
}

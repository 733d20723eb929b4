import {
  jobId,
  mergeGraph,
  outputId,
  type Graph,
  type GraphNode,
  type JobNode,
  type ResourceNode,
} from './graph.ts';
import { joinEnds, memberByJob, type EdgeEnd, type EdgeEnds } from './join-ends.ts';

/**
 * Merges jobs with the same parents into one compact node, and the versions after them if they lead to the
 * same jobs. Jobs without parents are not merged.
 */
export function groupParallel(graph: Graph): Graph {
  const groups = findGroups(graph);
  const members = memberByJob(groups);
  const merged = new Map(mergeOutputs(graph, groups));
  const shown = (node: GraphNode): GraphNode => members.get(node.id)?.group ?? merged.get(node.id) ?? node;
  const shownId = new Map(graph.nodes.map((node) => [node.id, shown(node).id]));
  const end = (id: string): EdgeEnd => ({ node: shownId.get(id) ?? id, ...(members.has(id) && { job: id }) });
  const ends = graph.edges.map(({ from, to, kind }): EdgeEnds => ({ tail: end(from), head: end(to), kind }));
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

/** The first job and the number of others identify a group, because a job is in one group only. */
const nameOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

/**
 * Merges nodes of a resource that come after jobs of one group and lead to the same jobs. Returns the merged
 * nodes by the ids of the original ones.
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

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
 * Merges jobs with the same parents into one compact node. Parents are the nodes from which edges lead to a
 * job; jobs without parents are not merged. Also merges the outputs of the merged jobs if they show the same
 * resource and lead to the same jobs. An output is the node of a resource after a job.
 */
export function groupParallel(graph: Graph): Graph {
  const groups = findGroups(graph);
  const members = memberByJob(groups);
  const mergedOutputs = new Map(mergeOutputs(graph, groups));
  const mergedNode = (node: GraphNode): GraphNode =>
    members.get(node.id)?.group ?? mergedOutputs.get(node.id) ?? node;
  const mergedIds = new Map(graph.nodes.map((node) => [node.id, mergedNode(node).id]));
  const endAt = (id: string): EdgeEnd => ({
    node: mergedIds.get(id) ?? id,
    ...(members.has(id) && { job: id }),
  });
  const edges = graph.edges.map(({ from, to, kind }): EdgeEnds => ({
    tail: endAt(from),
    head: endAt(to),
    kind,
  }));
  return mergeGraph(graph.nodes.map(mergedNode), joinEnds(edges, members));
}

function findGroups({ nodes, edges }: Graph): JobNode[] {
  const parents = Map.groupBy(edges, ({ to }) => to);
  /** Jobs with the same parents have the same key. A job without parents has a key of its own. */
  const siblingKey = (id: string): string => {
    const ids = parents.get(id)?.map(({ from }) => from);
    return JSON.stringify(ids?.toSorted() ?? id);
  };
  const jobs = nodes.filter((node) => node.kind === 'job');
  const siblings = Map.groupBy(jobs, ({ id }) => siblingKey(id));
  return [...siblings.values()].filter((members) => members.length > 1).map(compactNode);
}

function compactNode(members: readonly JobNode[]): JobNode {
  const jobs = members.flatMap((member) => member.jobs);
  return { kind: 'job', id: jobId(nameOf(jobs)), jobs };
}

/**
 * The name of a group of jobs. The first job and the number of the others identify the group, because a job
 * is in only one group.
 */
const nameOf = ([first = '', ...others]: readonly string[]): string =>
  others.length === 0 ? first : `${first} and ${others.length} more`;

/**
 * Merges the outputs of the jobs of each group that show the same resource and lead to the same jobs. Returns
 * the merged nodes by the ids of the original nodes.
 */
function mergeOutputs({ nodes, edges }: Graph, groups: readonly JobNode[]): [string, ResourceNode][] {
  const edgesFrom = Map.groupBy(edges, ({ from }) => from);
  const targetsOf = (id: string): string[] =>
    edgesFrom.get(id)?.map(({ to, kind }) => JSON.stringify([to, kind])) ?? [];
  // No output is merged yet, so `after` has at most one job.
  const outputs = Map.groupBy(
    nodes.filter((node) => node.kind === 'resource'),
    ({ after }) => after[0],
  );
  return groups.flatMap(({ jobs }) => {
    const outputsOfGroup = jobs.flatMap((job) => outputs.get(job) ?? []);
    const mergeable = Map.groupBy(outputsOfGroup, ({ id, resource }) =>
      JSON.stringify([resource, targetsOf(id).toSorted()]),
    );
    return [...mergeable.values()].flatMap((originals) => {
      const after = originals.flatMap((node) => node.after);
      return originals.map((node): [string, ResourceNode] => [
        node.id,
        { ...node, id: outputId(nameOf(after), node.resource), after },
      ]);
    });
  });
}

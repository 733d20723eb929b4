import { defined } from '#defined';
import { rowOf } from './box.ts';
import { jobId, type GraphEdge, type JobNode } from './graph.ts';

/** Where a compact node shows a job: the node, and the index of the row. */
interface Member {
  group: JobNode;
  row: number;
}

/** The members of all compact nodes, by the id of the job's node in the graph without compact nodes. */
export type Members = ReadonlyMap<string, Member>;

export const memberByJob = (groups: readonly JobNode[]): Members =>
  new Map(
    groups.flatMap((group) =>
      group.jobs.map((job, index): [string, Member] => [jobId(job), { group, row: rowOf(group, index) }]),
    ),
  );

/**
 * One end of an edge. `node`: id of a node in the picture. `job`: id of the job in a compact node to which
 * the edge belongs. Without `job`, the edge belongs to the whole node.
 */
export interface EdgeEnd {
  node: string;
  job?: string;
}

export interface EdgeEnds {
  tail: EdgeEnd;
  head: EdgeEnd;
  kind: GraphEdge['kind'];
}

/**
 * Joins the edges that all jobs of a compact node have in common into one edge of the whole node. Every other
 * edge of a compact node starts or ends at the row of its job.
 */
export function joinEnds(edges: readonly EdgeEnds[], members: Members): GraphEdge[] {
  const joined = joinAt('tail', joinAt('head', edges, members), members);
  return joined.map(({ tail, head, kind }) => {
    const [fromRow, toRow] = [tail, head].map(({ job }) => members.get(job ?? '')?.row);
    return {
      from: tail.node,
      ...defined({ fromRow }),
      to: head.node,
      ...defined({ toRow }),
      kind,
    };
  });
}

/**
 * Joins edges that differ only in the job at this side, if the compact node has such an edge for each of its
 * jobs.
 */
function joinAt(side: 'tail' | 'head', edges: readonly EdgeEnds[], members: Members): EdgeEnds[] {
  const joinable = Map.groupBy(edges, (edge) => JSON.stringify({ ...edge, [side]: edge[side].node }));
  return [...joinable.values()].flatMap((similar) => {
    const [first] = similar;
    const member = members.get(first?.[side].job ?? '');
    const jobs = new Set(similar.map((edge) => edge[side].job));
    if (!first || jobs.size !== member?.group.jobs.length) return similar;
    return [{ ...first, [side]: { node: first[side].node } }];
  });
}

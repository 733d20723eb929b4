import { defined } from '#defined';
import { rowOf } from './box.ts';
import { jobId, type GraphEdge, type JobNode } from './graph.ts';

/** A job of a compact node, and the row that shows it. */
interface Member {
  group: JobNode;
  row: number;
}

/** Members by the id that the node of the job has in the graph without groups. */
export type Members = ReadonlyMap<string, Member>;

export const memberByJob = (groups: readonly JobNode[]): Members =>
  new Map(
    groups.flatMap((group) =>
      group.jobs.map((job, index): [string, Member] => [jobId(job), { group, row: rowOf(group, index) }]),
    ),
  );

/**
 * One end of an edge: a node of the picture, and the id of the job in it that the edge belongs to. Without
 * `job`, the edge belongs to the whole node.
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
 * Joins edges that all jobs of a compact node have in common. Other edges start or end at the rows of their
 * jobs.
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
 * Joins edges that differ only in their job at this side, if there is one for each job of the compact node.
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

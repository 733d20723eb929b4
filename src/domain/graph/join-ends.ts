import { defined } from '#defined';
import { rowOf } from './box.ts';
import { jobId, type GraphEdge, type JobNode } from './graph.ts';

/** A job of a compact node, and the row that shows it. */
interface Member {
  group: JobNode;
  row: number;
}

/** Members by the id of the job's own node. */
export type Members = ReadonlyMap<string, Member>;

export const memberByJob = (groups: readonly JobNode[]): Members =>
  new Map(
    groups.flatMap((group) =>
      group.jobs.map((job, index): [string, Member] => [jobId(job), { group, row: rowOf(group, index) }]),
    ),
  );

/**
 * A node of the picture, and the id of the job in it that an edge belongs to. Absent: the edge belongs to the
 * whole node.
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

function joinAt(side: 'tail' | 'head', edges: readonly EdgeEnds[], members: Members): EdgeEnds[] {
  const alike = Map.groupBy(edges, (edge) => JSON.stringify({ ...edge, [side]: edge[side].node }));
  return [...alike.values()].flatMap((some) => {
    const [first] = some;
    const member = members.get(first?.[side].job ?? '');
    const jobs = new Set(some.map((edge) => edge[side].job));
    if (!first || jobs.size !== member?.group.jobs.length) return some;
    return [{ ...first, [side]: { node: first[side].node } }];
  });
}

import { rowOf } from './box.ts';
import { jobId, type GraphEdge, type JobNode } from './graph.ts';

/** A job in a compact node, and the row that shows it. */
interface Member {
  group: JobNode;
  row: number;
}

/** By the job's own id. */
export type Members = ReadonlyMap<string, Member>;

export const membersOf = (groups: readonly JobNode[]): Members =>
  new Map(
    groups.flatMap((group) =>
      group.jobs.map((job, index): [string, Member] => [jobId(job), { group, row: rowOf(group, index) }]),
    ),
  );

/**
 * A node that is shown, and the id of the job in it that an edge belongs to. Without a job it belongs to the
 * whole node.
 */
export interface End {
  node: string;
  job?: string;
}

export interface Ends {
  tail: End;
  head: End;
  kind: GraphEdge['kind'];
}

/**
 * Joins the edges that all jobs of a compact node have in common; the others start or end at the rows of
 * their jobs.
 */
export function joinEnds(edges: readonly Ends[], members: Members): GraphEdge[] {
  const joined = joinAt('tail', joinAt('head', edges, members), members);
  return joined.map(({ tail, head, kind }) => {
    const [fromRow, toRow] = [tail, head].map(({ job }) => members.get(job ?? '')?.row);
    return {
      from: tail.node,
      ...(fromRow !== undefined && { fromRow }),
      to: head.node,
      ...(toRow !== undefined && { toRow }),
      kind,
    };
  });
}

function joinAt(side: 'tail' | 'head', edges: readonly Ends[], members: Members): Ends[] {
  const alike = Map.groupBy(edges, (edge) => JSON.stringify({ ...edge, [side]: edge[side].node }));
  return [...alike.values()].flatMap((some) => {
    const [first] = some;
    const member = members.get(first?.[side].job ?? '');
    const jobs = new Set(some.map((edge) => edge[side].job));
    if (!first || jobs.size !== member?.group.jobs.length) return some;
    return [{ ...first, [side]: { node: first[side].node } }];
  });
}

/**
 * Jobs, the resources that they get and put, and the order between them. A graph has only names, so that
 * parameters and commands cannot leak into a picture.
 */
export interface Graph {
  /** In the order of the pipeline's text. `edges` refer to these nodes by their ids. */
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export type GraphNode = JobNode | ResourceNode;

export interface JobNode {
  kind: 'job';
  id: string;
  /** One job, or the jobs of a compact node. */
  jobs: string[];
}

export interface ResourceNode {
  kind: 'resource';
  id: string;
  /** `<type>.<label>` */
  resource: string;
  /**
   * `entry`: the resource itself, from which new versions come. `passed`: its versions that a job has got.
   * `put`: its versions that a job has put.
   */
  role: 'entry' | 'passed' | 'put';
  /**
   * For `passed` and `put`: the job that got or put the versions, or all jobs of a compact node. Empty for
   * `entry`.
   */
  after: string[];
}

/** `from` and `to` are ids of nodes. */
export interface GraphEdge {
  from: string;
  /** Row of a compact node where the edge starts. Absent: it starts at the whole node. */
  fromRow?: number;
  to: string;
  /** Row of a compact node where the edge ends. Absent: it ends at the whole node. */
  toRow?: number;
  /**
   * `trigger`: the job `to` gets versions from `from`, and a new version starts a build. `take`: the job gets
   * versions, but a new version starts no build. `make`: leads from a job to a node of the role `passed` or
   * `put`.
   */
  kind: 'trigger' | 'take' | 'make';
}

/** Id of the node of a job. */
export const jobId = (job: string): string => `job ${job}`;
/** Id of the node of a resource itself. */
export const entryId = (resource: string): string => `resource ${resource}`;
/** Id of the node of the versions of a resource after a job. */
export const outputId = (job: string, resource: string): string => `${resource} after ${job}`;

/**
 * Removes duplicates: nodes with the same id, and edges with the same ends. Of two nodes, a `put` replaces a
 * `passed`. Of two edges, a `trigger` replaces a `take`.
 */
export function mergeGraph(nodes: readonly GraphNode[], edges: readonly GraphEdge[]): Graph {
  const byId = new Map<string, GraphNode>();
  for (const node of nodes) {
    if (!byId.has(node.id) || (node.kind === 'resource' && node.role === 'put')) byId.set(node.id, node);
  }
  const byEnds = new Map<string, GraphEdge>();
  for (const edge of edges) {
    const ends = JSON.stringify([edge.from, edge.fromRow, edge.to, edge.toRow]);
    if (!byEnds.has(ends) || edge.kind === 'trigger') byEnds.set(ends, edge);
  }
  return { nodes: [...byId.values()], edges: [...byEnds.values()] };
}

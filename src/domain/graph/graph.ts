/**
 * Jobs, the resources that they get and put, and the order between them. A graph holds only names, so
 * parameters and commands cannot leak into a picture.
 */
export interface Graph {
  /** In the order of the file. `edges` refer to these nodes by id. */
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
   * `entry`: where versions enter. `passed` and `put`: versions after a job that gets or puts the resource.
   */
  role: 'entry' | 'passed' | 'put';
  /** For `passed` and `put`: the job that the versions come from, or the jobs of a compact node. */
  after: string[];
}

export interface GraphEdge {
  from: string;
  /** Row of a compact node where the edge starts. Absent: it starts at the whole node. */
  fromRow?: number;
  to: string;
  /** Row of a compact node where the edge ends. Absent: it ends at the whole node. */
  toRow?: number;
  /**
   * `trigger`: a new version starts the job. `take`: the job takes the newest version, which does not start
   * it. `make`: leads from a job to the versions after it.
   */
  kind: 'trigger' | 'take' | 'make';
}

export const jobId = (job: string): string => `job ${job}`;
export const entryId = (resource: string): string => `resource ${resource}`;
export const outputId = (job: string, resource: string): string => `${resource} after ${job}`;

/**
 * Removes duplicate nodes (by id) and edges (by ends). A `put` node replaces a `passed` one, and a `trigger`
 * edge a `take` edge.
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

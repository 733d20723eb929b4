/**
 * What a picture of a pipeline shows: jobs, the resources they take and make, and who waits for whom. Names
 * only: nothing of a resource's parameters or a step's commands can come into a picture.
 */
export interface Graph {
  /** In the order of the file; an edge's ends are among them. */
  nodes: GraphNode[];
  edges: GraphEdge[];
}

export type GraphNode = JobNode | ResourceNode;

export interface JobNode {
  kind: 'job';
  id: string;
  /** One job, or the jobs that a compact node stands for. */
  jobs: string[];
}

export interface ResourceNode {
  kind: 'resource';
  id: string;
  /** `<type>.<label>` */
  resource: string;
  /** `entry`: where versions come in. `passed` and `put`: versions that a job lets through or makes. */
  role: 'entry' | 'passed' | 'put';
  /** Of `passed` and `put`: the job, or the jobs of a compact node. */
  after: string[];
}

export interface GraphEdge {
  from: string;
  /** The row of a compact node where the edge starts. Absent: it starts at all of the node's jobs. */
  fromRow?: number;
  to: string;
  /** Likewise where it ends. */
  toRow?: number;
  /**
   * `trigger`: a new version starts the job. `take`: the job takes what is there. `make`: the job lets
   * through or makes it.
   */
  kind: 'trigger' | 'take' | 'make';
}

export const jobId = (job: string): string => `job ${job}`;
export const entryId = (resource: string): string => `resource ${resource}`;
export const outputId = (job: string, resource: string): string => `${resource} after ${job}`;

/**
 * Nodes by id and edges by their ends, each once. Of nodes with one id a put is kept before what is let
 * through; of edges with the same ends a trigger is kept before a take.
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

import type { TagRules } from '#domain/planning/choose-nodes.ts';
import { workerNodes, type ClusterNodes, type WorkerNodes } from '#domain/planning/worker-nodes.ts';

export interface RecordWorkersPorts {
  teams: () => readonly TagRules[];
  /** Undefined: the nodes of the cluster are not known. */
  nodes: () => ClusterNodes | undefined;
  store: WorkerStore;
}

export interface WorkerStore {
  /** Replaces the nodes of each team. The keys are names of teams. Writes only the rows that change. */
  saveWorkers(workers: ReadonlyMap<string, readonly WorkerNodes[]>): Promise<void>;
}

/**
 * Records on how many nodes the builds of each team may run, so that people without access to the cluster see
 * it.
 */
export async function recordWorkers({ teams, nodes, store }: RecordWorkersPorts): Promise<void> {
  const cluster = nodes();
  if (cluster === undefined) return;
  await store.saveWorkers(new Map(teams().map((rules) => [rules.name, workerNodes(rules, cluster)])));
}

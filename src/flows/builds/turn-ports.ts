import type { StartDecision, StartFacts } from '#domain/scheduling/start-queued.ts';
import type { Gate } from '#domain/scheduling/vote.ts';

export interface TurnStore {
  /** Row ids of teams with builds in the queue, those with the fewest running builds first. */
  teamsWithQueue(): Promise<number[]>;
  withQueue<T>(team: number, work: (tx: QueueTransaction) => Promise<T>): Promise<T>;
  /** Builds that wait for an approval with a timeout. */
  approvalsWithTimeout(): Promise<WaitingApproval[]>;
  /** Fails the builds that still wait for approval. */
  expireApprovals(pipeline: number, builds: readonly number[], at: Date): Promise<void>;
}

/** Holds the lock of a team's queue: one decision at a time. */
export interface QueueTransaction {
  facts(): Promise<QueueFacts>;
  /**
   * Records which builds have their turn and why the others wait. Returns the row ids of changed pipelines.
   */
  write(decision: StartDecision, at: Date): Promise<number[]>;
}

export interface QueueFacts extends StartFacts {
  /** Jobs that may have more queued builds than are listed. */
  cut: readonly number[];
}

export interface WaitingApproval {
  id: number;
  pipelineId: number;
  gate: Gate;
  createdAt: Date;
}

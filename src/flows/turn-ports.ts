import type { StartDecision, StartFacts } from '#domain/scheduling/start-queued.ts';
import type { Gate } from '#domain/scheduling/vote.ts';

export interface TurnStore {
  /** Teams of which builds wait for their turn. */
  teamsWithQueue(): Promise<number[]>;
  /** `work` may run again after a conflict: it acts through its transaction only. */
  withQueue<T>(team: number, work: (tx: QueueTransaction) => Promise<T>): Promise<T>;
  /** Builds that wait for approval, and do so for a limited time. */
  approvalsWithTimeout(): Promise<WaitingApproval[]>;
  /** Builds of the pipeline, by row id, fail if they still wait for approval. */
  expireApprovals(pipeline: number, builds: readonly number[], at: Date): Promise<void>;
}

/** Alone with the queue of a team: one decision at a time. */
export interface QueueTransaction {
  facts(): Promise<QueueFacts>;
  /** Notes which builds have their turn, and why the others wait. Answers the pipelines, by row id, in which that changed anything. */
  write(decision: StartDecision, at: Date): Promise<number[]>;
}

export interface QueueFacts extends StartFacts {
  /** A job may have more queued builds than are listed. */
  more: boolean;
}

export interface WaitingApproval {
  id: number;
  pipelineId: number;
  gate: Gate;
  createdAt: Date;
}

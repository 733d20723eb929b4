import { startQueued } from '#domain/scheduling/start-queued.ts';
import { approvalExpiresAt } from '#domain/scheduling/vote.ts';
import type { TurnStore } from './turn-ports.ts';

export interface TurnsGiven {
  /** How many builds have their turn now. */
  builds: number;
  /** The queue was longer than what was looked at: decide again. */
  more: boolean;
  /** Pipelines in which a build had its turn, or waits for another reason than before. */
  pipelines: number[];
}

/** Gives their turn to the queued builds of a team that may start now. */
export async function giveTurnsToTeam(
  team: number,
  builds: Pick<TurnStore, 'withQueue'>,
  at: Date,
): Promise<TurnsGiven> {
  return await builds.withQueue(team, async (tx) => {
    const facts = await tx.facts();
    const decision = startQueued(facts);
    const pipelines = await tx.write(decision, at);
    const started = decision.start.length;
    return { builds: started, more: facts.more && started > 0, pipelines };
  });
}

/** Fails builds that nobody approved in time. Answers their pipelines. */
export async function expireApprovals(
  builds: Pick<TurnStore, 'approvalsWithTimeout' | 'expireApprovals'>,
  at: Date,
): Promise<number[]> {
  const waiting = await builds.approvalsWithTimeout();
  const late = waiting.filter(({ gate, createdAt }) => {
    const end = approvalExpiresAt(gate, createdAt.getTime());
    return end !== undefined && end <= at.getTime();
  });
  const ofPipeline = Map.groupBy(late, ({ pipelineId }) => pipelineId);
  for (const [pipeline, expired] of ofPipeline)
    await builds.expireApprovals(
      pipeline,
      expired.map(({ id }) => id),
      at,
    );
  return [...ofPipeline.keys()];
}

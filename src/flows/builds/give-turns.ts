import { startQueued } from '#domain/scheduling/start-queued.ts';
import { approvalExpiresAt } from '#domain/scheduling/vote.ts';
import type { TurnStore } from './turn-ports.ts';

export interface TurnsGiven {
  /** Builds that got their turn. */
  builds: number;
  /** Only the oldest builds of a long queue were listed, and all of them got their turn: call again. */
  more: boolean;
  /** Row ids of pipelines in which a build got its turn, or the reason why a build waits has changed. */
  pipelines: number[];
}

/** Gives a turn to the queued builds of a team that may start now. */
export async function giveTurnsToTeam(
  team: number,
  builds: Pick<TurnStore, 'withQueue'>,
  at: Date,
): Promise<TurnsGiven> {
  return await builds.withQueue(team, async (tx) => {
    const facts = await tx.facts();
    const decision = startQueued(facts);
    const pipelines = await tx.write(decision, at);
    const held = new Set(decision.held.map(({ build }) => build));
    const jobsWithHeldBuild = new Set(facts.builds.filter(({ id }) => held.has(id)).map(({ job }) => job));
    const more = facts.cut.some((job) => !jobsWithHeldBuild.has(job));
    return { builds: decision.start.length, more, pipelines };
  });
}

/** Fails builds whose approval timed out. Returns the row ids of the pipelines of these builds. */
export async function expireApprovals(
  builds: Pick<TurnStore, 'approvalsWithTimeout' | 'expireApprovals'>,
  at: Date,
): Promise<number[]> {
  const waiting = await builds.approvalsWithTimeout();
  const late = waiting.filter(({ gate, createdAt }) => {
    const expiresAt = approvalExpiresAt(gate, createdAt.getTime());
    return expiresAt !== undefined && expiresAt <= at.getTime();
  });
  const lateByPipeline = Map.groupBy(late, ({ pipelineId }) => pipelineId);
  for (const [pipeline, expired] of lateByPipeline)
    await builds.expireApprovals(
      pipeline,
      expired.map(({ id }) => id),
      at,
    );
  return [...lateByPipeline.keys()];
}

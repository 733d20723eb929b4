import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import type { CardFacts, PipelineCard } from '#domain/graph/pipeline-card.ts';

/** A stored pipeline, with the facts from which its card is computed. */
export interface CardRow extends CardFacts, Omit<PipelineCard, 'status' | 'failure' | 'running'> {
  /**
   * The newest failed build among the newest ended builds of the jobs that are not paused (one build for each
   * job).
   */
  failure?: NonNullable<PipelineCard['newest']>;
}

export type CardTeam = Omit<OverviewTeam, 'shown'>;

export interface CardStore {
  /** In the order of their names. */
  cardTeams(teams: readonly string[] | 'all'): Promise<CardTeam[]>;
  /**
   * The first `limit` pipelines of each of these teams, in the order of team and name. With `ids`, only the
   * pipelines with these row ids.
   */
  cardRows(teams: readonly string[], limit: number, ids?: readonly number[]): Promise<CardRow[]>;
}

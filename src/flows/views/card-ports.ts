import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import type { CardFacts, PipelineCard } from '#domain/graph/pipeline-card.ts';

/** A stored pipeline, with the facts from which its card is computed. */
export interface CardRow extends CardFacts, Omit<PipelineCard, 'status' | 'failure' | 'running'> {
  /** The newest failed build among the newest ended build of each job. */
  failure?: NonNullable<PipelineCard['newest']>;
}

export type CardTeam = Omit<OverviewTeam, 'shown'>;

export interface CardStore {
  /** By name. */
  cardTeams(teams: readonly string[] | 'all'): Promise<CardTeam[]>;
  /**
   * The first pipelines of each of these teams, at most `limit` of a team, by team and name; with `ids`, only
   * these pipelines (row ids).
   */
  cardRows(teams: readonly string[], limit: number, ids?: readonly number[]): Promise<CardRow[]>;
}

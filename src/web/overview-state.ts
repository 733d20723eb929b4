import { defined } from '#defined';
import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import type { CardBuild, CardStatus, PipelineCard } from '#domain/graph/pipeline-card.ts';

/* The state of an overview, from the events that its stream has sent so far. */

export interface ViewedTeam extends OverviewTeam {
  /** The role of the viewer. Absent for global admins who are not members of the team. */
  role?: string;
  /** Whether the viewer may create pipelines in the team. */
  mayCreate: boolean;
}

export interface FollowedOverview {
  teams: readonly ViewedTeam[];
  /** The cards of each team, once they have arrived. */
  cards: ReadonlyMap<string, readonly PipelineCard[]>;
}

export const NO_OVERVIEW: FollowedOverview = { teams: [], cards: new Map() };

interface SentBuild {
  job: string;
  build: string;
  at: string;
}

interface SentCard {
  id: number;
  team: string;
  name: string;
  display_name?: string;
  public: boolean;
  status: CardStatus;
  running: number;
  failure?: SentBuild & { jobs: number };
  latest?: SentBuild;
}

type SentTeam = Omit<ViewedTeam, 'displayName' | 'mayCreate'> & {
  display_name?: string;
  may_create: boolean;
};

/** Events of the stream, by name. */
export interface OverviewEvents {
  teams: { teams: SentTeam[] };
  team: { team: string; pipelines: SentCard[] };
  changes: { team: string; pipelines: SentCard[]; removed: number[] };
}

/** Sets the teams. Cards that arrived before stay until the stream sends their team again. */
export function withTeams(state: FollowedOverview, { teams }: OverviewEvents['teams']): FollowedOverview {
  return {
    ...state,
    teams: teams.map(({ display_name: displayName, may_create: mayCreate, ...team }) => ({
      ...team,
      mayCreate,
      ...defined({ displayName }),
    })),
  };
}

export function withTeam(
  state: FollowedOverview,
  { team, pipelines }: OverviewEvents['team'],
): FollowedOverview {
  return { ...state, cards: new Map(state.cards).set(team, pipelines.map(toCard)) };
}

export function withChanges(state: FollowedOverview, changes: OverviewEvents['changes']): FollowedOverview {
  const { team, pipelines, removed } = changes;
  const changed = new Map(pipelines.map((sent) => [sent.id, toCard(sent)]));
  const remaining = (state.cards.get(team) ?? []).filter(({ id }) => !removed.includes(id));
  const known = new Set(remaining.map(({ id }) => id));
  const added = [...changed.values()].filter(({ id }) => !known.has(id));
  const cards = [...remaining.map((card) => changed.get(card.id) ?? card), ...added];
  return { ...state, cards: new Map(state.cards).set(team, cards) };
}

/** Whether the cards of all shown teams have arrived. Until then, the page shows what the server rendered. */
export function isComplete({ teams, cards }: FollowedOverview): boolean {
  return teams.length > 0 && teams.every(({ name, shown }) => !shown || cards.has(name));
}

export function allCards({ teams, cards }: FollowedOverview): PipelineCard[] {
  return teams.flatMap(({ name }) => cards.get(name) ?? []);
}

/**
 * The ids of pipelines whose cards differ between two states, so that their pictures may have changed too.
 */
export function changedCards(before: FollowedOverview, after: FollowedOverview): number[] {
  const known = new Map(allCards(before).map((card) => [card.id, JSON.stringify(card)]));
  return allCards(after)
    .filter((card) => known.has(card.id) && known.get(card.id) !== JSON.stringify(card))
    .map(({ id }) => id);
}

function toCard({ display_name: displayName, failure, latest, ...card }: SentCard): PipelineCard {
  return {
    ...card,
    ...defined({ displayName }),
    ...(failure !== undefined && { failure: { ...toBuild(failure), jobs: failure.jobs } }),
    ...(latest !== undefined && { newest: toBuild(latest) }),
  };
}

function toBuild({ job, build, at }: SentBuild): CardBuild {
  return { job, number: build, at };
}

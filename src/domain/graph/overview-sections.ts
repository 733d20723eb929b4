import { countStatuses, matchesText, orderCards, type CardFilter } from './order-cards.ts';
import { CARD_STATUSES, type CardStatus, type PipelineCard } from './pipeline-card.ts';

/**
 * A team of an overview. `pipelines`: how many pipelines the team has. `shown`: the overview contains the
 * cards of these pipelines.
 */
export interface OverviewTeam {
  name: string;
  displayName?: string;
  pipelines: number;
  shown: boolean;
}

/** The text of the link to the pipelines of a team whose cards are not shown because the overview is full. */
export function hiddenTeamLabel({ pipelines }: Pick<OverviewTeam, 'pipelines'>): string {
  return pipelines === 1 ? 'Show the pipeline of this team' : `Show the ${pipelines} pipelines of this team`;
}

/** The maximum number of cards on one page of an overview. */
export const CARDS_PER_PAGE = 100;

interface CardSelection {
  /** The cards that match the filter, sorted by team and then as `orderCards` does. */
  matching: PipelineCard[];
  /**
   * How many of the cards that match the text have each status. The status in the filter does not matter
   * here.
   */
  counts: Map<CardStatus, number>;
}

/** The cards that match the filter of a viewer. */
export function selectCards(
  teams: readonly OverviewTeam[],
  cards: readonly PipelineCard[],
  { text, status }: CardFilter,
): CardSelection {
  const byTeam = Map.groupBy(cards, ({ team }) => team);
  const matchingText = teams.flatMap(({ name, displayName }) =>
    orderCards(byTeam.get(name) ?? []).filter((card) => matchesText(card, displayName, text)),
  );
  const matching = matchingText.filter((card) => status === undefined || card.status === status);
  return { matching, counts: countStatuses(matchingText) };
}

export interface OverviewSection<T extends OverviewTeam> {
  team: T;
  cards: PipelineCard[];
}

/**
 * The cards of one page, by team: from the index `from` up to `to`, which is excluded. Without a filter,
 * teams without cards are included too. `cards`: sorted by team, in the order of `teams`.
 */
export function sectionsOf<T extends OverviewTeam>(
  teams: readonly T[],
  cards: readonly PipelineCard[],
  { from, to, filtered }: { from: number; to: number; filtered: boolean },
): OverviewSection<T>[] {
  const byTeam = Map.groupBy(cards, ({ team }) => team);
  let start = 0;
  return teams.flatMap((team) => {
    const cardsOfTeam = byTeam.get(team.name) ?? [];
    const teamStart = start;
    start += cardsOfTeam.length;
    const onPage = cardsOfTeam.slice(Math.max(0, from - teamStart), Math.max(0, to - teamStart));
    if (onPage.length > 0) return [{ team, cards: onPage }];
    const beginsOnPage = teamStart >= from && (teamStart < to || teamStart === cards.length);
    return cardsOfTeam.length === 0 && !filtered && beginsOnPage ? [{ team, cards: [] }] : [];
  });
}

/** Whether the filter can exclude any card. */
export const isFiltered = ({ text, status }: CardFilter): boolean =>
  text.trim() !== '' || status !== undefined;

/** The path and query of a page of an overview with this filter. `page`: from 1. */
export function overviewPath(base: string, { text, status }: CardFilter, page = 1): string {
  const query = [
    ...(text.trim() === '' ? [] : [`q=${encodeURIComponent(text.trim())}`]),
    ...(status === undefined ? [] : [`status=${status}`]),
    ...(page === 1 ? [] : [`page=${page}`]),
  ];
  return query.length === 0 ? base : `${base}?${query.join('&')}`;
}

/**
 * The statuses that a viewer can choose: all statuses that cards have, and the chosen one even if no card has
 * it.
 */
export function chipsOf(
  counts: ReadonlyMap<CardStatus, number>,
  chosen: CardStatus | undefined,
): { status: CardStatus; count: number }[] {
  return CARD_STATUSES.filter((status) => counts.has(status) || status === chosen).map((status) => ({
    status,
    count: counts.get(status) ?? 0,
  }));
}

import { CARD_STATUSES, CARD_WORDS, titleOf, type CardStatus, type PipelineCard } from './pipeline-card.ts';

/** How a viewer filters the cards of an overview. */
export interface CardFilter {
  /** Words that must all occur in the names of the pipeline and its team, or in its status. */
  text: string;
  /** Only cards with this status. Absent: all cards. */
  status?: CardStatus;
}

/**
 * Sorts cards by status, the most urgent first. Cards of the same status are sorted by the time of their
 * failure, the newest first, and then by name.
 */
export function orderCards(cards: readonly PipelineCard[]): PipelineCard[] {
  return cards.toSorted(
    (one, other) =>
      CARD_STATUSES.indexOf(one.status) - CARD_STATUSES.indexOf(other.status) ||
      // Times in RFC 3339 and UTC have the same order as their texts.
      compare(other.failure?.at ?? '', one.failure?.at ?? '') ||
      compare(one.name, other.name),
  );
}

/**
 * Whether the names and the status of the card contain every word of the text. `team`: the display name of
 * the card's team, if it has one.
 */
export function matchesText(card: PipelineCard, team: string | undefined, text: string): boolean {
  const searchedText = [card.name, titleOf(card), card.team, team ?? '', CARD_WORDS[card.status]]
    .join('\n')
    .toLowerCase();
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searchedText.includes(word));
}

/** How many cards have each status. Statuses that no card has are left out. */
export function countStatuses(cards: readonly Pick<PipelineCard, 'status'>[]): Map<CardStatus, number> {
  const counted = CARD_STATUSES.map((status): [CardStatus, number] => [
    status,
    cards.filter((card) => card.status === status).length,
  ]);
  return new Map(counted.filter(([, count]) => count > 0));
}

const compare = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

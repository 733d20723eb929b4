import type { CardFilter } from '#domain/graph/order-cards.ts';
import {
  CARDS_PER_PAGE,
  chipsOf,
  isFiltered,
  overviewPath,
  sectionsOf,
  selectCards,
} from '#domain/graph/overview-sections.ts';
import { CARD_WORDS, isCardStatus, type CardStatus, type PipelineCard } from '#domain/graph/pipeline-card.ts';
import { countOf } from '#domain/words.ts';
import { html, type Html } from './html.ts';
import { overviewSection, type SectionTeam } from './overview-cards.ts';

const MAX_SEARCH_CHARACTERS = 200;

interface OverviewParts {
  /** Path of the page: `/teams` for all teams of the viewer, otherwise that of one team. */
  base: string;
  /** Path of the event stream. */
  events: string;
  teams: readonly SectionTeam[];
  cards: readonly PipelineCard[];
  filter: CardFilter;
  page: number;
}

/** Reads filter and page from the query of an overview. Invalid values are ignored. */
export function readOverviewQuery(
  query: Readonly<Record<string, string | undefined>>,
): Pick<OverviewParts, 'filter' | 'page'> {
  const { q: text = '', status, page = '1' } = query;
  return {
    filter: { text: text.slice(0, MAX_SEARCH_CHARACTERS), ...(isCardStatus(status) && { status }) },
    page: /^[1-9]\d{0,4}$/.test(page) ? Number(page) : 1,
  };
}

/**
 * The pipelines of teams as cards, with a search and filters. The script `overview-page.js` searches while
 * the viewer types, and keeps the cards up to date. Without the script, the search is a form and the filters
 * are links.
 */
export function overview(parts: OverviewParts): Html {
  const { base, events, teams, cards, filter, page } = parts;
  const { matching, counts } = selectCards(teams, cards, filter);
  const from = (page - 1) * CARDS_PER_PAGE;
  const to = from + CARDS_PER_PAGE;
  const sections = sectionsOf(teams, matching, { from, to, filtered: isFiltered(filter) });
  const isOnlyTeam = base !== '/teams';
  const isEmpty = cards.length === 0;
  // The page of a team without pipelines has a text of its own (`noPipelines`) instead of a section.
  const shownSections = isOnlyTeam && isEmpty ? [] : sections;
  const tools = html`${chips(base, filter, counts)}
    <p class="overview-note"><span role="status">${summary(matching.length, cards.length)}</span></p>`;
  const noMatch = html`<p class="overview-nothing">
    Nothing matches. <a href="${base}">Show all pipelines</a>
  </p>`;
  return html`${searchForm(base, filter, isEmpty)}
    <div id="overview" data-base="${base}" data-events="${events}">
      ${!isEmpty && tools}
      ${
        !isEmpty && sections.length === 0
          ? noMatch
          : shownSections.map((section) => overviewSection(section, isOnlyTeam))
      }
      ${to < matching.length && html`<p><a href="${overviewPath(base, filter, page + 1)}">More pipelines</a></p>`}
    </div>`;
}

function summary(matching: number, total: number): string {
  return matching === total ? countOf(total, 'pipeline') : `${matching} of ${countOf(total, 'pipeline')}`;
}

function searchForm(base: string, { text, status }: CardFilter, hidden: boolean): Html {
  return html`<form role="search" action="${base}" class="overview-search" ${hidden && html` hidden`}>
    <label for="search" class="visually-hidden">Search pipelines</label>
    <input
      type="search"
      id="search"
      name="q"
      value="${text}"
      maxlength="${MAX_SEARCH_CHARACTERS}"
      placeholder="Search by name, team or status"
      aria-keyshortcuts="/"
      autocomplete="off"
    />
    ${status !== undefined && html`<input type="hidden" name="status" value="${status}" />`}
    <noscript><button type="submit">Search</button></noscript>
  </form>`;
}

function chips(base: string, filter: CardFilter, counts: ReadonlyMap<CardStatus, number>): Html {
  const { text } = filter;
  const chip = (status: CardStatus | undefined, label: Html): Html =>
    html`<li>
      <a
        class="overview-chip ${status ?? 'all'}"
        href="${overviewPath(base, { text, ...(status !== undefined && { status }) })}"
        ${filter.status === status && html` aria-current="true"`}
        >${label}</a
      >
    </li>`;
  return html`<nav class="overview-chips" aria-label="Filter by status">
    <ul>
      ${chip(undefined, html`all`)}
      ${chipsOf(counts, filter.status).map(({ status, count }) =>
        chip(status, html`<span class="overview-status">${CARD_WORDS[status]}</span> <span>${count}</span>`),
      )}
    </ul>
  </nav>`;
}

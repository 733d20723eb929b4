/*
 * The overview of pipelines. It searches and filters while the viewer types, and follows the stream of
 * events. Cards keep their order while the viewer reads.
 */
import { render } from 'preact';
import type { CardFilter } from '#domain/graph/order-cards.ts';
import {
  CARDS_PER_PAGE,
  isFiltered,
  overviewPath,
  sectionsOf,
  selectCards,
} from '#domain/graph/overview-sections.ts';
import { isCardStatus, type CardStatus } from '#domain/graph/pipeline-card.ts';
import { calmOrder, isSameOrder } from './calm-order.ts';
import { followEvents } from './follow-events.ts';
import {
  allCards,
  changedCards,
  isComplete,
  NO_OVERVIEW,
  withChanges,
  withTeam,
  withTeams,
  type FollowedOverview,
} from './overview-state.ts';
import { OverviewBody } from './overview.tsx';
import { PictureVersions } from './picture-versions.ts';
import { replaceServerContent } from './replace-server-content.ts';

/** How often relative times are written again. */
const CLOCK_MS = 30_000;
/**
 * The address changes only when the filter has not changed for this time, because browsers limit how often a
 * page may change its address.
 */
const ADDRESS_MS = 300;

class OverviewPage {
  readonly #container: HTMLElement;
  readonly #search: HTMLInputElement;
  readonly #base: string;
  readonly #pictures = new PictureVersions(() => this.#draw());
  #state = NO_OVERVIEW;
  #status: CardStatus | undefined;
  /** The ids of pipelines in the order in which they are shown. Empty: the next drawing sorts them. */
  #order: readonly number[] = [];
  /** How many cards are shown at most. */
  #limit = CARDS_PER_PAGE;
  #isConnected = true;
  #hasRendered = false;
  #addressTimer: number | undefined;
  #frame: number | undefined;

  constructor(container: HTMLElement, search: HTMLInputElement) {
    this.#container = container;
    this.#search = search;
    this.#base = container.dataset['base'] ?? '/teams';
    const query = new URLSearchParams(location.search);
    const status = query.get('status');
    this.#status = isCardStatus(status) ? status : undefined;
    this.#limit = CARDS_PER_PAGE * Math.max(1, Number(query.get('page')) || 1);
  }

  follow(): void {
    this.#retryPictures();
    followEvents({
      url: () => this.#container.dataset['events'] ?? '',
      on: {
        teams: ({ data }) => this.#receive((state) => withTeams(state, JSON.parse(data))),
        team: ({ data }) => this.#receive((state) => withTeam(state, JSON.parse(data))),
        changes: ({ data }) => this.#receive((state) => withChanges(state, JSON.parse(data))),
      },
      refused: () => {
        this.#isConnected = false;
        this.#draw();
      },
    });
    this.#search.addEventListener('input', () => this.#filterChanged());
    this.#search.form?.addEventListener('submit', (event) => event.preventDefault());
    document.addEventListener('keydown', (event) => this.#focusSearch(event));
    setInterval(() => this.#draw(), CLOCK_MS);
  }

  get #filter(): CardFilter {
    return { text: this.#search.value, ...(this.#status !== undefined && { status: this.#status }) };
  }

  /** Loads pictures again that the server refused before this script could listen to their errors. */
  #retryPictures(): void {
    for (const image of this.#container.querySelectorAll('img'))
      if (image.complete && image.naturalWidth === 0) image.src = `${image.src}&at=${Date.now()}`;
  }

  #receive(apply: (state: FollowedOverview) => FollowedOverview): void {
    const before = this.#state;
    this.#state = apply(before);
    this.#isConnected = true;
    for (const id of changedCards(before, this.#state)) this.#pictures.changed(id);
    this.#draw();
  }

  #filterChanged(): void {
    this.#order = [];
    this.#limit = CARDS_PER_PAGE;
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(
      () => history.replaceState(undefined, '', overviewPath(this.#base, this.#filter)),
      ADDRESS_MS,
    );
    this.#draw();
  }

  /** A slash puts the focus into the search box, unless the viewer is typing. */
  #focusSearch(event: KeyboardEvent): void {
    const { key, target } = event;
    if (key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]')) return;
    event.preventDefault();
    this.#search.focus();
    this.#search.select();
  }

  /** Without pipelines, hides the search and shows how to create the first pipeline. */
  #showEmpty(isEmpty: boolean): void {
    const empty = document.getElementById('overview-empty');
    if (empty !== null) empty.hidden = !isEmpty;
    if (this.#search.form !== null) this.#search.form.hidden = isEmpty;
  }

  #draw(): void {
    if (this.#frame !== undefined) return;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = undefined;
      if (isComplete(this.#state)) this.#render();
    });
  }

  #render(): void {
    const { teams } = this.#state;
    const cards = allCards(this.#state);
    const filter = this.#filter;
    const { matching, counts } = selectCards(teams, cards, filter);
    const sorted = matching.map(({ id }) => id);
    const byId = new Map(cards.map((card) => [card.id, card]));
    const order = calmOrder(this.#order, sorted, new Set(byId.keys()));
    const byTeam = Map.groupBy(
      order.flatMap((id) => byId.get(id) ?? []),
      ({ team }) => team,
    );
    const shown = teams.flatMap(({ name }) => byTeam.get(name) ?? []);
    this.#order = shown.map(({ id }) => id);
    const filtered = isFiltered(filter);
    this.#showEmpty(cards.length === 0);
    const body = (
      <OverviewBody
        base={this.#base}
        filter={filter}
        counts={counts}
        found={shown.length}
        all={cards.length}
        more={shown.length - this.#limit}
        sections={sectionsOf(teams, shown, { from: 0, to: this.#limit, filtered })}
        isSorted={isSameOrder(this.#order, sorted)}
        isConnected={this.#isConnected}
        now={new Date()}
        pictures={this.#pictures}
        choose={(status) => {
          this.#status = status;
          this.#filterChanged();
        }}
        clear={() => {
          this.#search.value = '';
          this.#status = undefined;
          this.#filterChanged();
          this.#search.focus();
        }}
        sort={() => {
          this.#order = [];
          this.#draw();
        }}
        showMore={() => {
          this.#limit += CARDS_PER_PAGE;
          this.#draw();
        }}
      />
    );
    if (this.#hasRendered) render(body, this.#container);
    else replaceServerContent(this.#container, body);
    this.#hasRendered = true;
  }
}

const container = document.getElementById('overview');
const search = document.getElementById('search');
if (container !== null && search instanceof HTMLInputElement) new OverviewPage(container, search).follow();

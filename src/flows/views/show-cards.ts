import { defined } from '#defined';
import type { OverviewTeam } from '#domain/graph/overview-sections.ts';
import { cardStatusOf, type PipelineCard } from '#domain/graph/pipeline-card.ts';
import { createCache } from './cache.ts';
import type { CardRow, CardStore, CardTeam } from './card-ports.ts';
import { FRESH_MS } from './pipeline-lookup.ts';

/**
 * Maximum number of pipelines in one overview, and of one team in it. Teams beyond this limit are listed by
 * name only.
 */
export const MAX_CARDS = 2000;
/** Maximum number of teams whose cards are cached. */
const MAX_TEAMS_CACHED = 1000;

/**
 * The cards of the pipelines of some teams, for overviews. The caller must check that the viewer may see
 * these teams.
 */
export interface PipelineCards {
  /**
   * The teams with these names that exist, sorted by name. `shown`: the overview shows the cards of this
   * team.
   */
  teams(names: readonly string[] | 'all'): Promise<OverviewTeam[]>;
  /** Ordered by team and name. */
  ofTeams(names: readonly string[]): Promise<PipelineCard[]>;
  /**
   * As `ofTeams`, but in the order of `names`, and up to a second old, so that concurrent viewers share one
   * read.
   */
  recentOfTeams(names: readonly string[]): Promise<PipelineCard[]>;
  /**
   * The current cards of the pipelines with these row ids, except pipelines of teams that are not in `names`.
   */
  ofPipelines(ids: readonly number[], names: readonly string[]): Promise<PipelineCard[]>;
}

interface Ports {
  store: CardStore;
  /** Milliseconds. */
  now: () => number;
}

export function showCards({ store, now }: Ports): PipelineCards {
  const cache = createCache<PipelineCard[]>({ maxSize: MAX_TEAMS_CACHED, maxAge: { ms: FRESH_MS, now } });
  return {
    teams: async (names) => shownTeams(await store.cardTeams(names)),
    ofTeams: async (names) => await readCards(store, names),
    async recentOfTeams(names) {
      const missing = names.filter((name) => cache.cached(name) === undefined);
      // One query for all teams that are not cached.
      let reading: Promise<PipelineCard[]> | undefined;
      const read = async (name: string): Promise<PipelineCard[]> => {
        // The cards were cached when `missing` was computed, and are too old now.
        if (!missing.includes(name)) return await readCards(store, [name]);
        reading ??= readCards(store, missing);
        return (await reading).filter(({ team }) => team === name);
      };
      const cards = await Promise.all(names.map(async (name) => await cache.get(name, () => read(name))));
      return cards.flat();
    },
    ofPipelines: async (ids, names) => (await store.cardRows(names, ids.length, ids)).map(cardOf),
  };
}

async function readCards(store: CardStore, names: readonly string[]): Promise<PipelineCard[]> {
  return (await store.cardRows(names, MAX_CARDS)).map(cardOf);
}

/** Shows whole teams until the limit is reached. The first team is always shown. */
function shownTeams(teams: readonly CardTeam[]): OverviewTeam[] {
  let remaining = MAX_CARDS;
  return teams.map((team, index) => {
    const shown = index === 0 || team.pipelines <= remaining;
    remaining = shown ? remaining - team.pipelines : 0;
    return { ...team, shown };
  });
}

function cardOf(row: CardRow): PipelineCard {
  const { id, team, name, displayName, running, newest, failure, outcomes } = row;
  const status = cardStatusOf(row);
  return {
    id,
    team,
    name,
    public: row.public,
    status,
    running,
    ...defined({ displayName, newest }),
    ...(status === 'failed' && failure !== undefined && { failure: { ...failure, jobs: outcomes.failed } }),
  };
}

import { createCache } from '#flows/views/cache.ts';
import type { LogSizes } from './team-use-ports.ts';

const MAX_AGE_MS = 30_000;
const MAX_TEAMS = 1000;

/** Caches the sizes for 30 seconds, because summing them reads every build with logs. `now`: milliseconds. */
export function cacheLogSizes(sizes: LogSizes, now: () => number): LogSizes {
  const maxAge = { ms: MAX_AGE_MS, now };
  const byTeam = createCache<number>({ maxSize: MAX_TEAMS, maxAge });
  const allTeams = createCache<ReadonlyMap<number, number>>({ maxSize: 1, maxAge });
  return {
    ofTeam: async (team) => await byTeam.get(`${team}`, () => sizes.ofTeam(team)),
    ofTeams: async () => await allTeams.get('all', () => sizes.ofTeams()),
  };
}

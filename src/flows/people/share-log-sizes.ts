import { createCache } from '#flows/views/cache.ts';
import type { LogSizes } from './team-use-ports.ts';

const MAX_AGE_MS = 30_000;
const MAX_TEAMS = 1000;

/** A sum reads all builds with logs, so viewers share it for half a minute. `now`: milliseconds. */
export function shareLogSizes(sizes: LogSizes, now: () => number): LogSizes {
  const maxAge = { ms: MAX_AGE_MS, now };
  const one = createCache<number>({ maxSize: MAX_TEAMS, maxAge });
  const all = createCache<ReadonlyMap<number, number>>({ maxSize: 1, maxAge });
  return {
    ofTeam: async (team) => await one.get(`${team}`, () => sizes.ofTeam(team)),
    ofTeams: async () => await all.get('all', () => sizes.ofTeams()),
  };
}

import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';

/** Pipeline texts that compile or wait at a time; each may take seconds. */
export const MAX_COMPILES = 32;
export const MAX_COMPILES_OF_TEAM = 4;

/**
 * Limits the compilations of each team. Teams take turns, and a team with too many waiting texts is refused
 * at once.
 */
export function limitCompiles(compiler: Compiler): (team: string) => Compiler {
  const underWay = new Map<string, number>();
  let all = 0;
  const count = (team: string, change: 1 | -1): void => {
    const own = (underWay.get(team) ?? 0) + change;
    if (own === 0) underWay.delete(team);
    else underWay.set(team, own);
    all += change;
  };
  return (team) => ({
    async compile(source, variables, sources) {
      if ((underWay.get(team) ?? 0) >= MAX_COMPILES_OF_TEAM)
        throw new Problem('unavailable', `Many texts of the team ${team} are being checked now. ${AGAIN}`);
      if (all >= MAX_COMPILES) throw new Problem('unavailable', `Many texts are being checked now. ${AGAIN}`);
      count(team, 1);
      try {
        return await compiler.compile(source, variables, sources, team);
      } finally {
        count(team, -1);
      }
    },
  });
}

const AGAIN = 'Try again in a second.';

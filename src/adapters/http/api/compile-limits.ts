import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';

/** Texts that are compiled or wait for it at a time; each may take seconds. */
export const MAX_COMPILES = 32;
export const MAX_COMPILES_OF_TEAM = 4;

/**
 * A compiler for the texts of each team: teams take turns, and one that has too many waiting is refused
 * without a wait for the others.
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

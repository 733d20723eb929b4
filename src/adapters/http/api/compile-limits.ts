import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import { limitWork } from './limit-work.ts';

/** How many pipeline texts may compile, be drawn or wait at a time. Each may take seconds. */
export const MAX_COMPILES = 32;
export const MAX_COMPILES_OF_TEAM = 4;

export interface CompileSlots {
  /** Each compilation takes a slot of the team. */
  compilerOf: (team: string) => Compiler;
  /** Holds one slot of the team while `work` compiles and draws one text. */
  holdSlot: <T>(team: string, work: (compiler: Compiler) => Promise<T>) => Promise<T>;
}

/**
 * Limits the compilations of each team. Teams take turns, and a team with too many waiting texts is refused
 * at once.
 */
export function limitCompiles(compiler: Compiler): CompileSlots {
  const slots = limitWork({ perOwner: MAX_COMPILES_OF_TEAM, total: MAX_COMPILES });
  const holdSlot: CompileSlots['holdSlot'] = async (team, work) => {
    const result = await slots.hold(team, () =>
      work({ compile: (source, variables, sources) => compiler.compile(source, variables, sources, team) }),
    );
    if ('done' in result) return result.done;
    const texts = result.full === 'owner' ? `texts of the team ${team}` : 'texts';
    throw new Problem('unavailable', `Many ${texts} are being checked now. Try again in a second.`);
  };
  return {
    holdSlot,
    compilerOf: (team) => ({
      compile: (...text) => holdSlot(team, (teamCompiler) => teamCompiler.compile(...text)),
    }),
  };
}

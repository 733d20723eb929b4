import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import { limitWork } from './limit-work.ts';

/** Pipeline texts that compile, are drawn or wait at a time; each may take seconds. */
export const MAX_COMPILES = 32;
export const MAX_COMPILES_OF_TEAM = 4;

export interface CompileSlots {
  /** Each compilation takes a slot of the team. */
  compilerOf: (team: string) => Compiler;
  /** Holds one slot of the team until `work` ends, which may compile and draw one text. */
  holdSlot: <T>(team: string, work: (compiler: Compiler) => Promise<T>) => Promise<T>;
}

/**
 * Limits the compilations of each team. Teams take turns, and a team with too many waiting texts is refused
 * at once.
 */
export function limitCompiles(compiler: Compiler): CompileSlots {
  const slots = limitWork({ ofOne: MAX_COMPILES_OF_TEAM, ofAll: MAX_COMPILES });
  const holdSlot: CompileSlots['holdSlot'] = async (team, work) => {
    const held = await slots.hold(team, () =>
      work({ compile: (source, variables, sources) => compiler.compile(source, variables, sources, team) }),
    );
    if ('done' in held) return held.done;
    const texts = held.full === 'one' ? `texts of the team ${team}` : 'texts';
    throw new Problem('unavailable', `Many ${texts} are being checked now. Try again in a second.`);
  };
  return {
    holdSlot,
    compilerOf: (team) => ({
      compile: (...text) => holdSlot(team, (held) => held.compile(...text)),
    }),
  };
}

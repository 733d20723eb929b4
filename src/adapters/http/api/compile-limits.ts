import { Problem } from '#adapters/http/protocol/problem.ts';
import type { Compiler } from '#flows/pipelines/manifest-ports.ts';
import { limitWork } from './limit-work.ts';

/**
 * How many pipeline texts may wait, be compiled or be drawn in this process at a time: of all teams together,
 * and of one team. Each may take seconds.
 */
export const MAX_COMPILES = 32;
export const MAX_COMPILES_OF_TEAM = 4;

export interface CompileSlots {
  /** Returns a compiler that takes a slot of the team for each text. */
  compilerOf: (team: string) => Compiler;
  /**
   * Holds one slot of the team while `work` runs. The compiler that `work` gets takes no further slot, so
   * that one text can be compiled and drawn with one slot.
   */
  holdSlot: <T>(team: string, work: (compiler: Compiler) => Promise<T>) => Promise<T>;
}

/**
 * Limits how many texts are compiled at a time, of each team and in total. A text above a limit is refused at
 * once. The compiler itself lets teams take turns.
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

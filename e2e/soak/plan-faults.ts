import type { Chance } from './chance.ts';
import type { FaultKind } from './fault-kind.ts';

export interface PlannedFault {
  kind: FaultKind;
  /** Seconds after the start of the run. */
  at: number;
  seconds: number;
  /** Decides between several targets that there may be then. */
  choice: number;
}

/**
 * Mean pause between two faults, and the shortest: what was hit shall have time to come back, and sometimes
 * none.
 */
const PAUSE_SECONDS = { least: 2, mean: 9 };
/** After a fault of a group ended, before the next one of it. */
const REST_SECONDS = 8;

/**
 * Which faults come when. They may overlap where they are of different groups; a fault whose group is not
 * free yet gives its place to another draw.
 */
export const planFaults = (
  kinds: readonly FaultKind[],
  chance: Chance,
  runSeconds: number,
): PlannedFault[] => {
  const planned: PlannedFault[] = [];
  const freeAt = new Map<string, number>();
  for (let at = 5; ;) {
    at += PAUSE_SECONDS.least - Math.log(1 - chance.next()) * (PAUSE_SECONDS.mean - PAUSE_SECONDS.least);
    const kind = chance.weighted(kinds);
    const [least, most] = kind.seconds ?? [0, 0];
    const seconds = chance.between(least, most);
    const choice = chance.next();
    if (at + seconds > runSeconds) return planned;
    if (at < (freeAt.get(kind.group) ?? 0)) continue;
    planned.push({ kind, at, seconds, choice });
    freeAt.set(kind.group, at + seconds + REST_SECONDS);
  }
};

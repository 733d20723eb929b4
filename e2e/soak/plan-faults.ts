import type { FaultKind } from './fault-kind.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface PlannedFault {
  kind: FaultKind;
  /** Seconds after the start of the run. */
  at: number;
  seconds: number;
  /** A number in [0, 1) that picks one of the possible targets. */
  choice: number;
}

/** Shortest and mean time between two draws of a fault. Long times let targets recover, short ones do not. */
const PAUSE_SECONDS = { min: 2, mean: 9 };
/** Before this time, there is no fault. */
const FIRST_SECONDS = 5;
/** The shortest pause between two faults of one group. */
const REST_SECONDS = 8;

/**
 * Plans the faults of a run. Faults of different groups may overlap; a drawn fault whose group is busy is
 * left out.
 */
export const planFaults = (
  kinds: readonly FaultKind[],
  random: SeededRandom,
  runSeconds: number,
): PlannedFault[] => {
  const planned: PlannedFault[] = [];
  const freeAt = new Map<string, number>();
  let at = FIRST_SECONDS;
  for (;;) {
    // Exponentially distributed, like the pauses between independent events.
    at += PAUSE_SECONDS.min - Math.log(1 - random.next()) * (PAUSE_SECONDS.mean - PAUSE_SECONDS.min);
    const kind = random.weighted(kinds);
    const [min, max] = kind.seconds ?? [0, 0];
    const seconds = random.between(min, max);
    const choice = random.next();
    if (at + seconds > runSeconds) return planned;
    if (at < (freeAt.get(kind.group) ?? 0)) continue;
    planned.push({ kind, at, seconds, choice });
    freeAt.set(kind.group, at + seconds + REST_SECONDS);
  }
};

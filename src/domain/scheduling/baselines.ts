/** A get whose baseline or floor is to be raised. The glossary explains both. */
export interface BaselineFacts {
  trigger: boolean;
  every: boolean;
  baseline: number;
  /** Row id of the version that was found last, disabled or not. */
  newest?: number;
  /** Place of the newest enabled version that is good in all jobs of `passed`. */
  newestReady?: number;
}

/**
 * The baseline of a get that becomes a trigger now, or whose job is unpaused now: versions found until now
 * trigger nothing.
 */
export function baselineFromNow({ baseline, newest = 0 }: BaselineFacts): number {
  return Math.max(baseline, newest);
}

/**
 * The `settled` mark of a get once these versions are unused again: a pin cancelled their builds before they
 * started, or the versions were disabled and are enabled again.
 */
export function settledBefore(settled: number, versions: readonly number[]): number {
  return Math.min(settled, ...versions.map((version) => version - 1));
}

/**
 * The floor of a get after an unpin, as a place: of the versions found in the meantime, only the newest one
 * that is ready may trigger a build. Only triggers that take every version need a floor.
 */
export function floorAfterUnpin(get: Omit<BaselineFacts, 'baseline' | 'newest'> & { floor: number }): number {
  if (!get.trigger || !get.every || get.newestReady === undefined) return get.floor;
  return Math.max(get.floor, get.newestReady);
}

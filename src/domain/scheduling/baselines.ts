/** A get whose baseline is to be set again. */
export interface BaselineFacts {
  trigger: boolean;
  every: boolean;
  baseline: number;
  /** Row id of the version that was found last, disabled or not. */
  newest?: number;
  /** Place of the newest enabled version that is good in all jobs of `passed`. */
  newestReady?: number;
}

/** When a get becomes a trigger, or its job is unpaused: versions found by then trigger nothing. */
export function baselineFromNow({ baseline, newest = 0 }: BaselineFacts): number {
  return Math.max(baseline, newest);
}

/**
 * The `settled` mark once these versions are unused again: a pin cancelled their builds before they started,
 * or they were disabled and now are not.
 */
export function settledBefore(settled: number, versions: readonly number[]): number {
  return Math.min(settled, ...versions.map((version) => version - 1));
}

/**
 * The floor of a get after an unpin, as a place: of the versions found in the meantime, only the newest that
 * is ready may trigger a build.
 */
export function floorAfterUnpin(get: Omit<BaselineFacts, 'baseline' | 'newest'> & { floor: number }): number {
  if (!get.trigger || !get.every || get.newestReady === undefined) return get.floor;
  return Math.max(get.floor, get.newestReady);
}

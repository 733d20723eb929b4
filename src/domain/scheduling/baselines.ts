/** A get for which the versions that trigger are counted anew. */
export interface CountedGet {
  trigger: boolean;
  every: boolean;
  baseline: number;
  /** Row id of the version of the resource that was found last, disabled or not. */
  newest?: number;
  /**
   * Place of the newest enabled one that is good in all jobs of `passed`; without `passed` simply the newest
   * enabled one.
   */
  newestReady?: number;
}

/** When a get comes to be a trigger, or a pause of its job ends: what is known by then starts nothing. */
export function baselineFromNow({ baseline, newest = 0 }: CountedGet): number {
  return Math.max(baseline, newest);
}

/**
 * When versions come to be unused after all: a pin cancelled their builds before they started, or they were
 * disabled and are not now.
 */
export function settledBefore(settled: number, versions: readonly number[]): number {
  return Math.min(settled, ...versions.map((version) => version - 1));
}

/**
 * When a pin ends: of the versions that came meanwhile the latest that is ready may trigger, and none that is
 * older. A place, as `newestReady` is.
 */
export function floorAfterUnpin(get: Omit<CountedGet, 'baseline' | 'newest'> & { floor: number }): number {
  if (!get.trigger || !get.every || get.newestReady === undefined) return get.floor;
  return Math.max(get.floor, get.newestReady);
}

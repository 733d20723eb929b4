/**
 * The order in which one decision builds its sets: oldest first, and the newest set of all last, so that it
 * is what stays. Of two sets the older one has the older version where their versions, oldest first, begin to
 * differ.
 */
export function orderSets<Of extends { versions: readonly number[] }>(
  sets: readonly Of[],
  newest: readonly number[],
): Of[] {
  if (sets.length < 2) return [...sets];
  const last = String(newest);
  return sets
    .map((set) => ({
      set,
      isNewest: String(set.versions) === last,
      ages: set.versions.toSorted((a, b) => a - b),
    }))
    .toSorted((a, b) => Number(a.isNewest) - Number(b.isNewest) || compareAges(a.ages, b.ages))
    .map(({ set }) => set);
}

function compareAges(a: readonly number[], b: readonly number[]): number {
  const differs = a.findIndex((version, place) => version !== b[place]);
  return differs === -1 ? 0 : (a[differs] ?? 0) - (b[differs] ?? 0);
}
